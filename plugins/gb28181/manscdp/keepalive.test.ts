import { expect } from 'chai'
import { parseKeepalive, type Keepalive } from './keepalive.ts'
import { parseManscdp } from './message.ts'

const CASES: readonly (readonly [fields: string, keepalive: Keepalive])[] = [
  ['<Status>OK</Status>', { isOk: true, faultyDeviceIds: [] }],
  ['<Status>ok</Status><Info></Info>', { isOk: true, faultyDeviceIds: [] }],
  ['<Status>1</Status>', { isOk: true, faultyDeviceIds: [] }],
  ['', { isOk: true, faultyDeviceIds: [] }],
  ['<Status>ERROR</Status>', { isOk: false, faultyDeviceIds: [] }],
  [
    '<Status>OK</Status><Info><DeviceID>1</DeviceID><DeviceID>2</DeviceID><DeviceID/></Info>',
    { isOk: true, faultyDeviceIds: ['1', '2'] },
  ],
]

describe('signs of life', () => {
  for (const [fields, keepalive] of CASES) {
    it(`are read: ${fields}`, () => {
      const xml = `<Notify><CmdType>Keepalive</CmdType><SN>1</SN><DeviceID>34020000001110000001</DeviceID>${fields}</Notify>`
      expect(parseKeepalive(parseManscdp(Buffer.from(xml)))).to.eql(keepalive)
    })
  }
})
