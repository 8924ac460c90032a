import { expect } from 'chai'
import {
  auxiliaryCommand,
  cruisePointCommand,
  cruiseStartCommand,
  cruiseValueCommand,
  focusIrisCommand,
  isFrontEndCommand,
  panTiltCommand,
  presetCommand,
  scanCommand,
  scanSpeedCommand,
  stopCommand,
  WIPER_SWITCH,
} from './front-end-command.ts'

const STILL = { pan: 0, tilt: 0, zoom: 0 }
const NO_MOVE = { focus: 0, iris: 0 }

/** Names with the command and its bytes without the sum, from the tables of the standard (A.4–A.11). */
const CASES: readonly (readonly [name: string, command: string, bytes: string])[] = [
  ['right', panTiltCommand({ ...STILL, pan: 0x20 }), 'A50F0101200000'],
  ['left', panTiltCommand({ ...STILL, pan: -0x20 }), 'A50F0102200000'],
  ['down', panTiltCommand({ ...STILL, tilt: -0x30 }), 'A50F0104003000'],
  ['up', panTiltCommand({ ...STILL, tilt: 0xff }), 'A50F010800FF00'],
  ['zoom in', panTiltCommand({ ...STILL, zoom: 0xf }), 'A50F01100000F0'],
  ['zoom out', panTiltCommand({ ...STILL, zoom: -2 }), 'A50F0120000020'],
  ['up, left and in', panTiltCommand({ pan: -1, tilt: 2, zoom: 3 }), 'A50F011A010230'],
  ['stop', stopCommand(), 'A50F0100000000'],
  ['focus far', focusIrisCommand({ ...NO_MOVE, focus: 0x80 }), 'A50F0141800000'],
  ['focus near', focusIrisCommand({ ...NO_MOVE, focus: -0x80 }), 'A50F0142800000'],
  ['iris open', focusIrisCommand({ ...NO_MOVE, iris: 0x40 }), 'A50F0144004000'],
  ['iris close', focusIrisCommand({ ...NO_MOVE, iris: -0x40 }), 'A50F0148004000'],
  ['focus and iris stop', focusIrisCommand(NO_MOVE), 'A50F0140000000'],
  ['set preset', presetCommand('set', 1), 'A50F0181000100'],
  ['call preset', presetCommand('call', 255), 'A50F018200FF00'],
  ['delete preset', presetCommand('delete', 16), 'A50F0183001000'],
  ['add a point', cruisePointCommand('addPoint', 2, 5), 'A50F0184020500'],
  ['delete a point', cruisePointCommand('deletePoint', 2, 5), 'A50F0185020500'],
  ['delete a tour', cruisePointCommand('deletePoint', 2, 0), 'A50F0185020000'],
  ['cruise speed', cruiseValueCommand('speed', 2, 0x123), 'A50F0186022310'],
  ['cruise dwell', cruiseValueCommand('dwell', 2, 0xfff), 'A50F018702FFF0'],
  ['cruise', cruiseStartCommand(2), 'A50F0188020000'],
  ['scan', scanCommand('start', 3), 'A50F0189030000'],
  ['scan left limit', scanCommand('left', 3), 'A50F0189030100'],
  ['scan right limit', scanCommand('right', 3), 'A50F0189030200'],
  ['scan speed', scanSpeedCommand(3, 0x20), 'A50F018A032000'],
  ['wiper on', auxiliaryCommand(true, WIPER_SWITCH), 'A50F018C010000'],
  ['auxiliary off', auxiliaryCommand(false, 7), 'A50F018D070000'],
]

describe('commands of the front end', () => {
  for (const [name, command, bytes] of CASES) {
    it(`are 8 bytes with their sum: ${name}`, () => {
      expect(command.slice(0, -2)).to.equal(bytes)
      const sum = Buffer.from(bytes, 'hex').reduce((total, byte) => total + byte, 0) % 256
      expect(Number.parseInt(command.slice(-2), 16)).to.equal(sum)
      expect(isFrontEndCommand(command)).to.equal(true)
    })
  }

  it('are as in the worked check', () => {
    expect(panTiltCommand({ ...STILL, pan: 0x20 })).to.equal('A50F0101200000D6')
  })

  it('are refused where they are none, or a value is out of its range', () => {
    for (const text of ['A50F0101200000D7', 'A60F0101200000D6', 'A50F0101200000', '', 'A50F0101200000D6<']) {
      expect(isFrontEndCommand(text), text).to.equal(false)
    }
    for (const call of [
      () => panTiltCommand({ ...STILL, pan: 256 }),
      () => panTiltCommand({ ...STILL, zoom: 16 }),
      () => panTiltCommand({ ...STILL, tilt: 0.5 }),
      () => presetCommand('set', 0),
      () => presetCommand('call', 256),
      () => cruisePointCommand('addPoint', 0, 0),
      () => cruiseValueCommand('speed', 0, 4096),
      () => auxiliaryCommand(true, 0),
    ]) {
      expect(call).to.throw(RangeError)
    }
  })
})
