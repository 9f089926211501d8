// Runs the player, which the page contains compressed.
new Response(new Blob([Uint8Array.from(atob('@player@'), c => c.charCodeAt())]).stream()
  .pipeThrough(new DecompressionStream('deflate-raw'))).text().then(player => {
    const script = document.createElement('script');
    script.textContent = player;
    document.head.append(script);
  });
