// SPDX-License-Identifier: MIT
// What report/html.c embedded: text in zlib's format, in base64.

export async function unpack(base64: string): Promise<string> {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser is too old for it (Chrome 80, Firefox 113, Safari 16.4)");
  const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}
