import type { ManscdpMessage } from './message.ts'

/** True when an answer says that it went well; one that says nothing of it brings what was asked for. */
export function isResultOk({ root }: ManscdpMessage): boolean {
  const result = root.text('Result')
  return result === undefined || /^(?:OK|SUCCESS|1|TRUE)$/iu.test(result)
}
