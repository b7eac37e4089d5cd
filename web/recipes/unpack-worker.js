// Unpacks off the main thread: a worker of one's own, which any bundler builds.

import { unpack } from "../keyfold/dist/index.js";

onmessage = async ({ data: address }) => {
  try {
    const bytes = await unpack(new Uint8Array(await (await fetch(address)).arrayBuffer()), {
      resolve: async (uri) => new Uint8Array(await (await fetch(new URL(uri, address))).arrayBuffer()),
    });
    postMessage({ bytes }, [bytes.buffer]);
  } catch (error) {
    postMessage({ error: String(error) });
  }
};
