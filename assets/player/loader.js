// Runs the player, which this script contains compressed.
if (self.DecompressionStream)
  new Response(new Blob([Uint8Array.from(atob('@player@'), c => c.charCodeAt())]).stream()
    .pipeThrough(new DecompressionStream('deflate-raw'))).text().then(player => {
      const script = document.createElement('script');
      script.textContent = player;
      document.head.append(script);
    });
else
  document.addEventListener('DOMContentLoaded', () => document.querySelectorAll('glyphreel-player').forEach(
    player => player.replaceWith('This browser has no DecompressionStream; open the page with a newer one.')));
