import { fileURLToPath } from 'node:url'

/** What runs of the benchmark keep for each other; it can be deleted at any time. */
export const CACHE_FOLDER = fileURLToPath(new URL('../../node_modules/.cache/sluice-bench', import.meta.url))
