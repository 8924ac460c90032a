import { expect } from 'chai'
import { fuzz } from '../test/fuzz.ts'
import { h264NaluType, isH264RandomAccess } from './nalu-type.ts'

const USER_DATA = `0605ff05${'aa'.repeat(260)}`

// Recovery points from libx264 with open groups of pictures.
const cases = [
  { name: 'an IDR slice', nalus: ['6764', '68eb', '6588'], randomAccess: true },
  { name: 'a recovery point', nalus: ['6764', '68eb', '060601c480', '419a'], randomAccess: true },
  { name: 'a recovery point after other messages', nalus: [`${USER_DATA}0601c480`, '419a'], randomAccess: true },
  { name: 'a recovery point after emulation prevention', nalus: ['0604040000030001 0601c480'], randomAccess: true },
  { name: 'other messages', nalus: [`${USER_DATA}80`, '06010407060680', '419a'], randomAccess: false },
  { name: 'parameter sets only', nalus: ['6764', '68eb'], randomAccess: false },
  { name: 'a message cut off', nalus: ['0606', '06ffff', '06'], randomAccess: false },
  { name: 'nothing', nalus: [], randomAccess: false },
]

const fromHex = (nalus: readonly string[]) => nalus.map((nalu) => Buffer.from(nalu.replaceAll(' ', ''), 'hex'))

describe('isH264RandomAccess', () => {
  for (const { name, nalus, randomAccess } of cases) {
    it(`is ${randomAccess} for ${name}`, () => expect(isH264RandomAccess(fromHex(nalus))).to.equal(randomAccess))
  }

  it('takes any bytes', () => {
    fuzz(
      cases.flatMap(({ nalus }) => fromHex(nalus)),
      (bytes) => void isH264RandomAccess([bytes]),
    )
  })
})

describe('h264NaluType', () => {
  it('reads the low five bits', () => {
    expect(h264NaluType(Buffer.from([0x67]))).to.equal(7)
    expect(h264NaluType(Buffer.alloc(0))).to.equal(0)
  })
})
