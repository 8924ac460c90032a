import { expect } from 'chai'
import { testParts } from './test-parts.ts'
import { TestTimes } from './test-times.ts'

/** Parts by their files, of kept times. */
function partsOf(times: Readonly<Record<string, number>>): (readonly string[])[] {
  const kept = Object.fromEntries(Object.entries(times).map(([file, seconds]) => [file, [seconds, seconds / 2]]))
  return testParts(Object.keys(times), new TestTimes(JSON.stringify(kept))).map(({ files }) => files)
}

describe('parts of the tests', () => {
  it('begin with the longest', () => {
    const parts = partsOf({ 'test/e2e/a.test.ts': 30, 'test/e2e/b.test.ts': 70, 'core/c.test.ts': 50 })
    expect(parts).to.eql([['test/e2e/b.test.ts'], ['core/c.test.ts'], ['test/e2e/a.test.ts']])
  })

  it('hold short files together, and those of one kind only', () => {
    const parts = partsOf({ 'core/b.test.ts': 8, 'core/a.test.ts': 9, 'test/e2e/d.test.ts': 1, 'core/c.test.ts': 7 })
    expect(parts).to.eql([['core/a.test.ts', 'core/b.test.ts'], ['core/c.test.ts'], ['test/e2e/d.test.ts']])
  })

  it('hold few of files that start servers, and more of the others', () => {
    const units = Array.from({ length: 15 }, (_, index) => `sdk/${index}.test.ts`)
    const whole = Array.from({ length: 15 }, (_, index) => `test/gates/${index}.test.ts`)
    const parts = partsOf(Object.fromEntries([...units, ...whole].map((file) => [file, 0.1])))
    expect(parts.map(({ length }) => length)).to.have.members([15, 8, 7])
  })

  it('take a file that is not kept for a short one', () => {
    const [part] = testParts(['core/new.test.ts'], new TestTimes('{}'))
    expect(part).to.eql({ files: ['core/new.test.ts'], seconds: 1 })
  })
})
