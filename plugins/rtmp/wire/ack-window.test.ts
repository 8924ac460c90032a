import { expect } from 'chai'
import { AckWindow } from './ack-window.ts'

function windowOf(sizeBytes: number): AckWindow {
  const window = new AckWindow()
  window.setSize(sizeBytes)
  return window
}

describe('AckWindow', () => {
  it('never asks for an acknowledgement before the peer set a size', () => {
    expect(new AckWindow().receive(2 ** 40)).to.equal(null)
  })

  it('asks each time the window is full, with all bytes so far', () => {
    const window = windowOf(1000)
    expect([999, 1, 999, 500, 1].map((size) => window.receive(size))).to.deep.equal([null, 1000, null, 2499, null])
  })

  it('counts what came before the size was set', () => {
    const window = new AckWindow()
    window.receive(700)
    window.setSize(1000)
    expect(window.receive(300)).to.equal(1000)
  })

  it('asks once for many windows at once', () => {
    const window = windowOf(1)
    expect([window.receive(65_536), window.receive(1)]).to.deep.equal([65_536, 65_537])
  })

  it('asks for none with a window of 0', () => {
    expect(windowOf(0).receive(1000)).to.equal(null)
  })

  it('wraps at 32 bits and goes on', () => {
    const window = windowOf(2 ** 31)
    const numbers = [1, 2, 3].map(() => window.receive(2 ** 31 + 1))
    expect(numbers).to.deep.equal([2 ** 31 + 1, 2, 2 ** 31 + 3])
  })
})
