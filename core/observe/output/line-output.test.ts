import { expect } from 'chai'
import { LineOutput } from './line-output.ts'

const LINE = 'a line\n'

describe('LineOutput', () => {
  let room: number
  let failure: string | undefined
  let out: string
  let later: { callback: () => void; ms: number }[]
  let output: LineOutput

  beforeEach(() => {
    room = Infinity
    failure = undefined
    out = ''
    later = []
    output = new LineOutput({
      open: () => ({ write }),
      maxWaitingBytes: 10 * LINE.length,
      later: (callback, ms) => void later.push({ callback, ms }),
    })
    output.onGap = (lines) => output.write(`${lines} dropped\n`)
  })

  const write = (bytes: Buffer): number => {
    if (failure !== undefined) throw Object.assign(new Error(failure), { code: failure })
    const taken = Math.min(room, bytes.length)
    room -= taken
    out += bytes.subarray(0, taken).toString()
    return taken
  }
  const writeLines = (count: number) => {
    for (let number = 0; number < count; number += 1) output.write(LINE)
  }
  /** What is due later is due now. @returns after how long it was to be */
  const pass = (): number[] => later.splice(0).map(({ callback, ms }) => (callback(), ms))

  it('writes at once where that is possible', () => {
    output.write('one\n')
    expect(out).to.equal('one\n')
    output.write('two\n')
    expect(out).to.equal('one\ntwo\n')
    expect(later).to.eql([])
    expect(output.isWaiting).to.equal(false)
  })

  it('keeps what is not taken, in order and without a cut, and asks again by one timer', () => {
    room = 5
    output.write('first line\n')
    output.write('second line\n')
    expect(out).to.equal('first')
    expect(output.isWaiting).to.equal(true)
    room = 8
    expect(pass()).to.eql([50])
    expect(out).to.equal('first line\nse')
    room = Infinity
    expect(pass()).to.eql([50])
    expect(out).to.equal('first line\nsecond line\n')
    expect(later).to.eql([])
  })

  it('drops what is too much, counts it, and says so where it was, once there is room again', () => {
    room = 0
    writeLines(14)
    expect(output.droppedLines).to.equal(4)
    room = 4 * LINE.length
    pass()
    // Not before half of the room is free, or the log would tell of each line that was dropped.
    writeLines(1)
    expect(output.droppedLines).to.equal(5)
    room = 2 * LINE.length
    pass()
    output.write('goes on\n')
    room = Infinity
    pass()
    expect(out).to.equal(`${LINE.repeat(10)}5 dropped\ngoes on\n`)
    expect(output.droppedLines).to.equal(5)
  })

  it('says that lines were dropped when none follows', () => {
    room = 0
    writeLines(11)
    room = Infinity
    pass()
    expect(out).to.equal(`${LINE.repeat(10)}1 dropped\n`)
  })

  for (const code of ['ENOSPC', 'EPIPE', 'EIO']) {
    it(`survives ${code}, and goes on when it is over`, () => {
      failure = code
      writeLines(12)
      expect(pass()).to.eql([1000])
      expect(pass()).to.eql([1000])
      failure = undefined
      pass()
      expect(out).to.equal(`${LINE.repeat(10)}2 dropped\n`)
    })
  }

  it('survives a destination that can not be opened', () => {
    const closed = new LineOutput({
      open: () => {
        throw new Error('EBADF')
      },
      later: (callback, ms) => void later.push({ callback, ms }),
    })
    closed.write(LINE)
    expect(pass()).to.eql([1000])
    expect(closed.isWaiting).to.equal(true)
  })

  it('gives up a flush at its deadline, and at once where the destination fails', () => {
    room = 0
    output.write(LINE)
    output.flush(1)
    expect(output.isWaiting).to.equal(true)
    failure = 'ENOSPC'
    output.flush(Infinity)
    failure = undefined
    room = Infinity
    output.flush(0)
    expect(out).to.equal(LINE)
  })

  it('says at the end that lines were dropped', () => {
    room = 0
    writeLines(11)
    room = Infinity
    output.flush(0)
    expect(out).to.equal(`${LINE.repeat(10)}1 dropped\n`)
  })
})
