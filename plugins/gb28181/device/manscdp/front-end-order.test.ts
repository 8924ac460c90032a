import { expect } from 'chai'
import { FrontEnd } from './front-end.ts'
import { parseFrontEndOrder } from './front-end-order.ts'

/** The 8 bytes of a command, with their sum. */
function hexOf(command: number, first = 0, second = 0, third = 0): string {
  const bytes = [0xa5, 0x0f, 0x01, command, first, second, third]
  const sum = bytes.reduce((total, byte) => total + byte, 0) & 0xff
  return Buffer.from([...bytes, sum]).toString('hex')
}

const still = { pan: 0, tilt: 0, zoom: 0 }

describe('orders for the front end', () => {
  const cases = [
    // The example of GB/T 28181 A.3: to the right.
    { hex: 'A50F0101200000D6', is: { kind: 'move', ...still, pan: 0x20 } },
    { hex: hexOf(0x02, 0xff), is: { kind: 'move', ...still, pan: -255 } },
    { hex: hexOf(0x08, 0, 0x40), is: { kind: 'move', ...still, tilt: 0x40 } },
    { hex: hexOf(0x04, 0, 0x40), is: { kind: 'move', ...still, tilt: -0x40 } },
    { hex: hexOf(0x10, 0, 0, 0xf0), is: { kind: 'move', ...still, zoom: 15 } },
    { hex: hexOf(0x20, 0, 0, 0x30), is: { kind: 'move', ...still, zoom: -3 } },
    { hex: hexOf(0x29, 1, 2, 0x30), is: { kind: 'move', pan: 1, tilt: 2, zoom: -3 } },
    { hex: hexOf(0x00), is: { kind: 'move', ...still } },
    { hex: hexOf(0x41, 9, 7), is: { kind: 'lens', focus: 9, iris: 0 } },
    { hex: hexOf(0x4a, 9, 7), is: { kind: 'lens', focus: -9, iris: -7 } },
    { hex: hexOf(0x44, 9, 7), is: { kind: 'lens', focus: 0, iris: 7 } },
    { hex: hexOf(0x81, 0, 5), is: { kind: 'preset', action: 'set', preset: 5 } },
    { hex: hexOf(0x82, 0, 255), is: { kind: 'preset', action: 'call', preset: 255 } },
    { hex: hexOf(0x83, 0, 1), is: { kind: 'preset', action: 'delete', preset: 1 } },
    { hex: hexOf(0x84, 2, 5), is: { kind: 'cruise', action: 'add', cruise: 2, preset: 5, value: 5 } },
    { hex: hexOf(0x85, 2, 0), is: { kind: 'cruise', action: 'delete', cruise: 2, preset: 0, value: 0 } },
    { hex: hexOf(0x86, 2, 0x34, 0x10), is: { kind: 'cruise', action: 'speed', cruise: 2, preset: 0x34, value: 0x134 } },
    { hex: hexOf(0x87, 2, 0xff, 0xf0), is: { kind: 'cruise', action: 'dwell', cruise: 2, preset: 0xff, value: 0xfff } },
    { hex: hexOf(0x88, 2), is: { kind: 'cruise', action: 'start', cruise: 2, preset: 0, value: 0 } },
    { hex: hexOf(0x89, 3, 0), is: { kind: 'scan', action: 'start', scan: 3, value: 0 } },
    { hex: hexOf(0x89, 3, 1), is: { kind: 'scan', action: 'left', scan: 3, value: 0 } },
    { hex: hexOf(0x89, 3, 2), is: { kind: 'scan', action: 'right', scan: 3, value: 0 } },
    { hex: hexOf(0x8a, 3, 1, 0x20), is: { kind: 'scan', action: 'speed', scan: 3, value: 0x201 } },
    { hex: hexOf(0x8c, 1), is: { kind: 'auxiliary', isOn: true, number: 1 } },
    { hex: hexOf(0x8d, 1), is: { kind: 'auxiliary', isOn: false, number: 1 } },
    { hex: 'A50F0101200000D7', is: 'checksum' },
    { hex: 'A50F01012000', is: 'length' },
    { hex: 'no hexadecimal!!', is: 'length' },
    { hex: 'A40F0101200000D5', is: 'head' },
    { hex: 'A50E0101200000D5', is: 'head' },
    { hex: hexOf(0x03), is: 'command' },
    { hex: hexOf(0x4c), is: 'command' },
    { hex: hexOf(0x89, 0, 9), is: 'command' },
    { hex: hexOf(0xee), is: 'command' },
  ]
  for (const { hex, is } of cases) {
    it(`are read from ${hex}`, () => expect(parseFrontEndOrder(hex)).to.eql(is))
  }
})

describe('the front end of a device', () => {
  it('moves as long as it is told, and goes to presets', () => {
    let now = 0
    const frontEnd = new FrontEnd(() => now)
    frontEnd.obey(hexOf(0x19, 255, 128, 0x30))
    now = 1000
    frontEnd.obey(hexOf(0x00))
    const there = frontEnd.pose
    expect(there.pan).to.equal(90)
    expect(there.tilt).to.be.closeTo(45.2, 0.1)
    expect(there.zoom).to.be.closeTo(1.8, 0.01)
    now = 9000
    expect(frontEnd.pose).to.eql(there)
    frontEnd.obey(hexOf(0x81, 0, 7))
    frontEnd.obey(hexOf(0x02, 255))
    now = 10_000
    expect(frontEnd.pose.pan).to.equal(0)
    frontEnd.obey(hexOf(0x82, 0, 7))
    expect(frontEnd.pose).to.eql(there)
    expect(frontEnd.calledPreset).to.equal(7)
    frontEnd.obey(hexOf(0x83, 0, 7))
    expect(frontEnd.presets.size).to.equal(0)
  })

  it('keeps tours, scans and switches, and what it could not read', () => {
    const frontEnd = new FrontEnd(() => 0)
    for (const [command, first, second = 0] of [
      [0x84, 1, 5],
      [0x84, 1, 6],
      [0x84, 1, 7],
      [0x85, 1, 6],
      [0x86, 1, 9],
      [0x87, 1, 30],
      [0x88, 1],
      [0x8c, 1],
      [0x8c, 2],
      [0x8d, 2],
    ]) {
      expect(frontEnd.obey(hexOf(command!, first, second))).to.equal(undefined)
    }
    expect(frontEnd.cruises.get(1)).to.eql({ presets: [5, 7], speed: 9, dwellSeconds: 30 })
    expect(frontEnd.running).to.eql({ kind: 'cruise', number: 1 })
    expect([...frontEnd.auxiliaries]).to.eql([1])
    frontEnd.obey(hexOf(0x85, 1, 0))
    expect(frontEnd.cruises.size).to.equal(0)
    expect(frontEnd.obey('A50F0101200000D7')).to.equal('checksum')
    expect(frontEnd.problems).to.eql(['checksum'])
    frontEnd.obey(hexOf(0x89, 3, 1))
    frontEnd.obey(hexOf(0x8a, 3, 4))
    frontEnd.obey(hexOf(0x89, 3, 0))
    expect(frontEnd.scans.get(3)).to.deep.include({ speed: 4 }).and.have.property('left')
    expect(frontEnd.running).to.eql({ kind: 'scan', number: 3 })
  })
})
