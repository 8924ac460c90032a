import type { TestTimes } from './test-times.ts'

/** Files that run in one process, one after the other. */
export type TestPart = {
  readonly files: readonly string[]
  readonly seconds: number
}

/** The longest time of files that share a process: a process that loads the server takes a second to begin. */
const PART_SECONDS = 20
/** The most files of a part, so that files of unknown times don't all share one. */
const MAX_FILES = 60
/** The most files of a part that start servers and programs: their memory is freed only when the process ends. */
const MAX_WHOLE_FILES = 8

/** Puts the files into parts, the longest part first. */
export function testParts(files: readonly string[], times: TestTimes): TestPart[] {
  const parts: TestPart[] = []
  for (const whole of [true, false]) {
    const ofKind = files.filter((file) => isWhole(file) === whole).toSorted()
    parts.push(...packed(ofKind, times, whole ? MAX_WHOLE_FILES : MAX_FILES))
  }
  return parts.toSorted((one, other) => other.seconds - one.seconds)
}

/** Returns true when the tests of a file go across plugins. */
function isWhole(file: string): boolean {
  return /^test\/.+\//u.test(file)
}

function packed(files: readonly string[], times: TestTimes, maxFiles: number): TestPart[] {
  const parts: { readonly files: string[]; seconds: number }[] = []
  for (const file of files) {
    const seconds = times.secondsOf(file)
    const part = parts.at(-1)
    if (part !== undefined && part.files.length < maxFiles && part.seconds + seconds <= PART_SECONDS) {
      part.files.push(file)
      part.seconds += seconds
    } else parts.push({ files: [file], seconds })
  }
  return parts
}
