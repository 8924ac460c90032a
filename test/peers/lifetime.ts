import { AsyncLocalStorage } from 'node:async_hooks'

type Closeable = { close(): void | Promise<void> }

/** The resources of the test that runs, where others run beside it. */
const ofCase = new AsyncLocalStorage<Set<Closeable>>()
const ofTest = new Set<Closeable>()
const ofFile = new Set<Closeable>()
const ofRun = new Set<Closeable>()
let inTest = false

/** Keeps a resource for the test that runs, or for its file when made in a `before`; gives back how to let it go. */
export function keep(resource: Closeable): () => void {
  return keepIn(ofCase.getStore() ?? (inTest ? ofTest : ofFile), resource)
}

/** Keeps a resource that files share for the whole run; gives back how to let it go. */
export function keepForRun(resource: Closeable): () => void {
  return keepIn(ofRun, resource)
}

/** Runs a test beside others, and then closes what it has left open. */
export function runBeside(test: () => Promise<void>): Promise<void> {
  const own = new Set<Closeable>()
  return ofCase.run(own, async () => {
    try {
      await test()
    } finally {
      await closeAll(own)
    }
  })
}

function keepIn(owner: Set<Closeable>, resource: Closeable): () => void {
  owner.add(resource)
  return () => owner.delete(resource)
}

export function beforeEachTest(): void {
  inTest = true
}

/** Closes what the test has left open. */
export async function afterEachTest(): Promise<void> {
  inTest = false
  await closeAll(ofTest)
}

/** Closes what the `before` hooks of a file have left open: it would take the machine from all files after it. */
export function afterFile(): Promise<void> {
  return closeAll(ofFile)
}

/** Closes what the files have shared. */
export function afterAllTests(): Promise<void> {
  return closeAll(ofRun)
}

async function closeAll(resources: Set<Closeable>): Promise<void> {
  const closing = [...resources]
  resources.clear()
  await Promise.all(closing.map(async (resource) => resource.close()))
}
