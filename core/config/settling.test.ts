import { expect } from 'chai'
import { LOOK_MS, Settling, type FileStamp } from './settling.ts'

const FILE: FileStamp = { ino: 1, size: 100, mtimeMs: 1000 }

describe('Settling', () => {
  let nowMs: number
  let settling: Settling

  beforeEach(() => {
    nowMs = 5000
    settling = new Settling()
    settling.touch(nowMs)
  })

  /** Looks at a file that stays as it is, until there is a verdict. @returns after how long, and which */
  const settle = (stamp: FileStamp | undefined): [number, string] => {
    const startMs = nowMs
    for (;;) {
      nowMs += LOOK_MS
      const verdict = settling.look(stamp, nowMs)
      if (verdict !== 'wait') return [nowMs - startMs, verdict]
    }
  }
  const change = () => settling.touch(nowMs)

  it('takes a file for complete that has been still for a while', () => {
    expect(settle(FILE)).to.eql([350, 'complete'])
  })

  it('waits for what is written in parts, however long they take', () => {
    settle(FILE)
    change()
    for (let part = 0; part < 10; part += 1) {
      for (let pause = 0; pause < 5; pause += 1) {
        nowMs += LOOK_MS
        expect(settling.look({ ...FILE, size: part, mtimeMs: 2000 + part }, nowMs)).to.equal('wait')
      }
    }
    expect(settle({ ...FILE, size: 9, mtimeMs: 2009 })).to.eql([100, 'complete'])
  })

  it('waits also where only the time, or only the size, tells that something was written', () => {
    settle(FILE)
    for (const written of [
      { ...FILE, mtimeMs: 1250 },
      { ...FILE, mtimeMs: 1250, size: 101 },
    ]) {
      change()
      nowMs += 250
      expect(settling.look(written, nowMs)).to.equal('wait')
    }
    expect(settle({ ...FILE, mtimeMs: 1250, size: 101 })).to.eql([300, 'complete'])
  })

  it('takes a file at once that has taken its place, unless it is empty', () => {
    settle(FILE)
    change()
    expect(settle({ ...FILE, ino: 2 })).to.eql([100, 'complete'])
    change()
    expect(settle({ ...FILE, ino: 3, size: 0 })).to.eql([350, 'complete'])
  })

  it('stops to look where there is no file', () => {
    expect(settle(undefined)).to.eql([300, 'gone'])
  })
})
