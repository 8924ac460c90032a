import { expect } from 'chai'
import { encodeGbText } from './charset.ts'
import { parseManscdp } from './message.ts'
import { newestFirst, parseRecordInfo, recordKey, type RecordItem } from './record-info.ts'
import { CHINA_TIME } from './times.ts'

const ID = '34020000001320000001'
const START = Date.UTC(2024, 0, 31, 16)

function pageOf(fields: string) {
  const xml = `<?xml version="1.0" encoding="GB2312"?><Response><CmdType>RecordInfo</CmdType><SN>1</SN><DeviceID>${ID}</DeviceID>${fields}</Response>`
  return parseRecordInfo(parseManscdp(encodeGbText(xml, 'GB2312')), CHINA_TIME)
}

function itemAt(startMs: number, endMs = startMs + 1000, filePath?: string): RecordItem {
  const unknown = { name: undefined, address: undefined, secrecy: undefined, type: undefined, recorderId: undefined }
  return { ...unknown, deviceId: ID, filePath, startMs, endMs, fileSizeBytes: undefined, streamNumber: undefined }
}

describe('recordings of devices', () => {
  it('have all fields of the standard', () => {
    const item =
      `<Item><DeviceID>${ID}</DeviceID><Name>东门</Name><FilePath>/a/1.ps</FilePath><Address>芜湖</Address><StartTime>2024-02-01T00:00:00</StartTime>` +
      '<EndTime>2024-02-01T01:00:00</EndTime><Secrecy>0</Secrecy><Type>Alarm</Type><RecorderID>r</RecorderID><FileSize>123</FileSize><StreamNumber>1</StreamNumber></Item>'
    expect(pageOf(`<SumNum>3</SumNum><RecordList Num="1">${item}</RecordList>`)).to.eql({
      sumNum: 3,
      items: [
        {
          deviceId: ID,
          name: '东门',
          filePath: '/a/1.ps',
          address: '芜湖',
          startMs: START,
          endMs: START + 3_600_000,
          secrecy: 0,
          type: 'alarm',
          recorderId: 'r',
          fileSizeBytes: 123,
          streamNumber: 1,
        },
      ],
    })
  })

  it('are of the channel that was asked, with times in other ways', () => {
    const item = '<Item><StartTime>2024-01-31T16:00:00Z</StartTime><EndTime>2024/02/01 00:00:01.000</EndTime></Item>'
    expect(pageOf(`<RecordList>${item}</RecordList>`)).to.eql({ sumNum: undefined, items: [itemAt(START)] })
  })

  it('are left out without a time, or with one that goes back', () => {
    const item = (start: string, end: string) => `<Item><StartTime>${start}</StartTime><EndTime>${end}</EndTime></Item>`
    const items = [item('', '2024-02-01T00:00:00'), item('2024-02-01T00:00:01', '2024-02-01T00:00:00'), '<Item/>']
    expect(pageOf(`<SumNum>3</SumNum><RecordList>${items.join('')}</RecordList>`)).to.eql({ sumNum: 3, items: [] })
    expect(pageOf('<SumNum>0</SumNum>')).to.eql({ sumNum: 0, items: [] })
  })

  it('are the same by their beginning and file, and sorted by their time', () => {
    expect(recordKey(itemAt(1, 2, 'a'))).to.equal(recordKey(itemAt(1, 9, 'a')))
    expect(new Set([itemAt(1, 2, 'a'), itemAt(1, 2, 'b'), itemAt(2, 3, 'a')].map(recordKey)).size).to.equal(3)
    expect(
      newestFirst([itemAt(2), itemAt(3), itemAt(1), itemAt(3, 9)]).map(({ startMs, endMs }) => [startMs, endMs]),
    ).to.eql([
      [3, 1003],
      [3, 9],
      [2, 1002],
      [1, 1001],
    ])
  })
})
