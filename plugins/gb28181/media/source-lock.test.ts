import { expect } from 'chai'
import { SourceLock } from './source-lock.ts'

const SSRC = 200_001
const DEVICE = '192.0.2.7'
const lockFor = (isStrict = false) => new SourceLock({ ssrcs: new Set([SSRC]), isStrict, hosts: new Set([DEVICE]) })

describe('the sender of media', () => {
  it('is the one with the right SSRC from the address of the device, and nobody else then', () => {
    const lock = lockFor()
    expect(lock.admits(`${DEVICE}:1000`, SSRC, 0)).to.equal(true)
    expect(lock.from).to.equal(`${DEVICE}:1000`)
    for (const [from, ssrc] of [
      ['198.51.100.1:1', SSRC],
      [`${DEVICE}:1001`, SSRC],
      [`${DEVICE}:1001`, 5],
      ['198.51.100.1:1', 5],
    ] as const) {
      expect(lock.admits(from, ssrc, 10), `${from} ${ssrc}`).to.equal(false)
    }
    expect(lock.admits(`${DEVICE}:1000`, SSRC, 20)).to.equal(true)
  })

  it('may have an SSRC of its own (device ignores y=), also 0', () => {
    for (const own of [0, 77]) {
      const lock = lockFor()
      expect(lock.admits(`${DEVICE}:1000`, own, 0)).to.equal(true)
      expect(lock.ssrc).to.equal(own)
    }
  })

  it('may have another address than its SIP (dual network card)', () => {
    expect(lockFor().admits('198.51.100.9:1000', SSRC, 0)).to.equal(true)
  })

  it('is a stranger only when nobody else comes for a second', () => {
    const lock = lockFor()
    expect(lock.admits('198.51.100.9:1', 5, 0)).to.equal(false)
    expect(lock.admits('198.51.100.9:1', 5, 999)).to.equal(false)
    expect(lock.admits('198.51.100.9:1', 5, 1000)).to.equal(true)
    // The device comes late, and takes its place.
    expect(lock.admits(`${DEVICE}:1000`, SSRC, 1001)).to.equal(true)
    expect(lock.admits('198.51.100.9:1', 5, 1002)).to.equal(false)
  })

  it('goes on from another port after silence', () => {
    const lock = lockFor()
    lock.admits(`${DEVICE}:1000`, SSRC, 0)
    expect(lock.admits(`${DEVICE}:2000`, SSRC, 3000)).to.equal(false)
    expect(lock.admits(`${DEVICE}:2000`, SSRC, 3001)).to.equal(true)
    expect(lock.admits('198.51.100.9:1', SSRC, 9000)).to.equal(false)
  })

  it('may change its SSRC at the same address', () => {
    const lock = lockFor()
    lock.admits(`${DEVICE}:1000`, 5, 0)
    expect(lock.admits(`${DEVICE}:1000`, 6, 10)).to.equal(true)
    expect(lock.ssrc).to.equal(6)
  })

  it('has the right SSRC where the device is to be strict', () => {
    const lock = lockFor(true)
    expect(lock.admits(`${DEVICE}:1000`, 5, 0)).to.equal(false)
    expect(lock.admits(`${DEVICE}:1000`, SSRC, 0)).to.equal(true)
  })
})
