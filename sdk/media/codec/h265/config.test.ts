import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { h265Config, h265ConfigFromParameterSets } from './config.ts'

const VPS = '40010c01ffff01600000030090000003000003003c959809'
const SPS = '42010101600000030090000003000003003ca00a080b9f796566924caf016808000003000800000300c840'
const PPS = '4401c172b46240'
const HEADER = '0101600000009000000000003cf000fcfdf8f800000f'

// The hvcC box that ffmpeg wrote for libx265.
const record = Buffer.from(`${HEADER}03a000010018${VPS}a10001002b${SPS}a200010007${PPS}`, 'hex')
const config = { record, width: 320, height: 180, codecString: 'hvc1.1.6.L60.90' }

describe('h265Config', () => {
  it('describes a record and keeps it', () => {
    expect(h265Config(record)).to.deep.equal(config)
    expect(h265Config(record).record).to.equal(record)
  })

  it('makes the same record from the parameter sets', () => {
    const [vps, sps, pps] = [VPS, SPS, PPS].map((hex) => Buffer.from(hex, 'hex'))
    expect(h265ConfigFromParameterSets(vps!, sps!, pps!)).to.deep.equal(config)
  })

  it('leaves the size out when the SPS is odd or missing', () => {
    const unsized = { width: 0, height: 0, codecString: 'hvc1.1.6.L60.90' }
    expect(h265Config(Buffer.from(`${HEADER}00`, 'hex'))).to.include(unsized)
    expect(h265Config(Buffer.from(`${HEADER}01a1000100034201ff`, 'hex'))).to.include(unsized)
  })

  it('refuses broken records and parameter sets', () => {
    expect(() => h265Config(record.subarray(0, -1))).to.throw(MalformedError)
    const empty = Buffer.alloc(0)
    expect(() => h265ConfigFromParameterSets(empty, empty, empty)).to.throw(MalformedError)
  })
})
