import { messageOf, SluiceError } from 'sluice/sdk'

/** The longest wait for the outcome of a pull or push that an operator asks for. */
const BEGIN_TIMEOUT_MS = 5000

class JobFailed extends SluiceError {
  constructor(message: string) {
    super('JOB_FAILED', 502, message)
  }
}

/**
 * Waits for a pull or push to begin, for five seconds at most; a later outcome is not reported.
 * @throws {SluiceError} when it failed (502)
 */
export async function awaitBegin({ begun }: { readonly begun: Promise<void> }): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(() => late.resolve(), BEGIN_TIMEOUT_MS).unref()
  try {
    await Promise.race([begun, late.promise])
  } catch (error) {
    throw new JobFailed(messageOf(error))
  } finally {
    clearTimeout(timer)
  }
}
