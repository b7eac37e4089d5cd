// The worker's own text, which `./start.ts` hands to it.

import { listen } from "./worker.js";

listen();
