"use strict";
// Shared by the pages that `compare --report` and `bench --report` write.
const data = JSON.parse(document.getElementById("data").textContent);

/** Creates the element "name.class.class" with attributes and children. Strings become text; null is ignored. */
function make(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const isSvg = ["svg", "g", "title", "text", "tspan", "line", "rect", "circle", "polyline", "polygon"].includes(name);
  const node = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  if (classes.length > 0) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.flat(Infinity).filter(child => child !== null));
  return node;
}

const grouped = number => number.toLocaleString("en-US");
const counted = (number, unit) => `${grouped(number)} ${unit}${number === 1 ? "" : "s"}`;
/** Formats milliseconds with about three digits. */
const milliseconds = ms => ms.toFixed(ms >= 100 ? 0 : ms >= 10 ? 1 : ms >= 0.1 ? 2 : 3);

/** Returns the smallest step of at least `value` that is 1, 2 or 5 times a power of ten. */
function niceStep(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= value * (1 - 1e-9));
}
/** Formats a number without the extra digits of binary rounding errors. */
const label = number => String(Number(number.toPrecision(6)));
