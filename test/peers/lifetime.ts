type Closeable = { close(): void | Promise<void> }

const ofTest = new Set<Closeable>()
const ofRun = new Set<Closeable>()
let inTest = false

/** Keeps a resource for the test that runs, or for the whole run when made outside a test; gives back how to let it go. */
export function keep(resource: Closeable): () => void {
  const owner = inTest ? ofTest : ofRun
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

/** Closes what `before` hooks have left open. */
export function afterAllTests(): Promise<void> {
  return closeAll(ofRun)
}

async function closeAll(resources: Set<Closeable>): Promise<void> {
  const closing = [...resources]
  resources.clear()
  await Promise.all(closing.map(async (resource) => resource.close()))
}
