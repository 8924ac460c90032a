import { expect } from 'chai'
import { parseCatalog, type CatalogItem } from './catalog.ts'
import { encodeGbText, type GbCharset } from './charset.ts'
import { parseManscdp } from './message.ts'

const ID = '34020000001320000001'

/** Reads an answer with items. */
function itemsOf(items: string, charset: GbCharset = 'GB2312'): readonly CatalogItem[] {
  const head = '<?xml version="1.0" encoding="GB2312"?>\n<Response>\n<CmdType>Catalog</CmdType><SN>1</SN>'
  const xml = `${head}<SumNum>1</SumNum><DeviceList Num="1">${items}</DeviceList></Response>`
  return parseCatalog(parseManscdp(encodeGbText(xml, charset))).items
}

/** What is known of an item. */
function known(item: CatalogItem | undefined): unknown {
  return JSON.parse(JSON.stringify(item))
}

const FULL = `<Item>
<DeviceID>${ID}</DeviceID><Name>东门停车场 1 号</Name><Manufacturer>海康威视</Manufacturer><Model>DS-2CD</Model><Owner>业主</Owner>
<CivilCode>340200</CivilCode><Block>1</Block><Address>芜湖路</Address><Parental>0</Parental>
<ParentID>34020000001180000001/34020000002150000001</ParentID><SafetyWay>0</SafetyWay><RegisterWay>1</RegisterWay>
<CertNum>1</CertNum><Certifiable>1</Certifiable><ErrCode>400</ErrCode><EndTime>2030-01-01T00:00:00</EndTime>
<SecurityLevelCode>A</SecurityLevelCode><Secrecy>0</Secrecy><IPAddress>192.0.2.9</IPAddress><Port>5060</Port><Password>secret</Password>
<Status>ON</Status><Longitude>118.376</Longitude><Latitude>31.326</Latitude><BusinessGroupID>34020000002150000001</BusinessGroupID>
<Info><PTZType>1</PTZType><PositionType>2</PositionType><RoomType>1</RoomType><UseType>3</UseType><SupplyLightType>2</SupplyLightType>
<DirectionType>8</DirectionType><Resolution>5/6</Resolution><StreamNumberList>0/1</StreamNumberList><DownloadSpeed>1/2/4</DownloadSpeed>
<SVCSpaceSupportMode>1</SVCSpaceSupportMode><SVCTimeSupportMode>0</SVCTimeSupportMode></Info>
</Item>`

describe('catalogs', () => {
  it('have all fields of the standard', () => {
    for (const charset of ['GB2312', 'GB18030', 'UTF-8'] as const) {
      expect(itemsOf(FULL, charset).map(known)).to.eql([
        {
          deviceId: ID,
          name: '东门停车场 1 号',
          manufacturer: '海康威视',
          model: 'DS-2CD',
          owner: '业主',
          civilCode: '340200',
          block: '1',
          address: '芜湖路',
          parental: 0,
          parentId: '34020000001180000001/34020000002150000001',
          safetyWay: 0,
          registerWay: 1,
          certNum: '1',
          certifiable: 1,
          errCode: 400,
          endTime: '2030-01-01T00:00:00',
          securityLevelCode: 'A',
          secrecy: 0,
          ipAddress: '192.0.2.9',
          port: 5060,
          password: 'secret',
          status: 'ON',
          longitude: 118.376,
          latitude: 31.326,
          businessGroupId: '34020000002150000001',
          info: {
            ptzType: 1,
            positionType: 2,
            roomType: 1,
            useType: 3,
            supplyLightType: 2,
            directionType: 8,
            resolution: '5/6',
            streamNumberList: '0/1',
            downloadSpeed: '1/2/4',
            svcSpaceSupportMode: 1,
            svcTimeSupportMode: 0,
          },
        },
      ])
    }
  })

  for (const [name, fields, item] of [
    ['an id alone', '', {}],
    ['an empty name', '<Name/>', {}],
    ['a group of business in Info', '<Info><BusinessGroupID>1</BusinessGroupID></Info>', { businessGroupId: '1' }],
    ['fields of Info beside it', '<PTZType>3</PTZType>', { info: { ptzType: 3 } }],
    [
      'the mode as 2016 spells it',
      '<Info><SVCSpaceSupportMod>2</SVCSpaceSupportMod></Info>',
      { info: { svcSpaceSupportMode: 2 } },
    ],
    ['a port and a place that are none', '<Port>70000</Port><Longitude>200</Longitude><Latitude>x</Latitude>', {}],
  ] as const) {
    it(`are read with ${name}`, () => {
      expect(itemsOf(`<Item><DeviceID>${ID}</DeviceID>${fields}</Item>`).map(known)).to.eql([
        { deviceId: ID, info: {}, ...item },
      ])
    })
  }

  for (const [text, status] of [
    ['ON', 'ON'],
    ['on', 'ON'],
    ['OK', 'ON'],
    ['1', 'ON'],
    ['ONLINE', 'ON'],
    ['OFF', 'OFF'],
    ['0', 'OFF'],
    ['OFFLINE', 'OFF'],
    ['VLOST', 'OFF'],
    ['DEFECT', 'OFF'],
    ['', undefined],
    ['?', undefined],
  ] as const) {
    it(`know the status "${text}"`, () => {
      const items = itemsOf(`<Item><DeviceID>${ID}</DeviceID><Status>${text}</Status></Item>`)
      expect(items.map((item) => item.status)).to.eql([status])
    })
  }

  it('tell in notices what happened', () => {
    const events = ['ON', 'OFF', 'VLOST', 'DEFECT', 'ADD', 'DEL', 'UPDATE', 'del', 'NONE', '']
    const items = events.map((event) => `<Item><DeviceID>${ID}</DeviceID><Event>${event}</Event></Item>`)
    const xml = `<Notify><CmdType>Catalog</CmdType><DeviceList>${items.join('')}</DeviceList></Notify>`
    const page = parseCatalog(parseManscdp(Buffer.from(xml)))
    expect(page.sumNum).to.equal(undefined)
    expect(page.items.map(({ event }) => event)).to.eql([...events.slice(0, 7), 'DEL', undefined, undefined])
  })

  it('may be empty', () => {
    const read = (fields: string) =>
      parseCatalog(parseManscdp(Buffer.from(`<Response><CmdType>Catalog</CmdType>${fields}</Response>`)))
    expect(read('<SumNum>0</SumNum>')).to.eql({ sumNum: 0, items: [] })
    expect(read('<SumNum>0</SumNum><DeviceList Num="0"/>')).to.eql({ sumNum: 0, items: [] })
  })

  it('keep their items when one is broken, or has no id', () => {
    const items = itemsOf(
      `<Item><DeviceID>1</DeviceID><Name>A & B</Item><Item><Name>none</Name></Item><Item><DeviceID>2<Name>C</Name><Item><DeviceID>3</DeviceID></Item>`,
    )
    expect(items.map(({ deviceId, name }) => [deviceId, name])).to.eql([
      ['1', 'A & B'],
      ['2', 'C'],
      ['3', undefined],
    ])
  })

  it('keep the items behind a list that ends too early', () => {
    const items = itemsOf('<Item><DeviceID>1</DeviceID></Item></DeviceList><Item><DeviceID>2</DeviceID></Item>')
    expect(items.map(({ deviceId }) => deviceId)).to.eql(['1', '2'])
  })

  it('may have a page of a thousand items, broken or not', () => {
    const pieces = Array.from({ length: 1000 }, (_, index) => FULL.replace(ID, String(index)).replaceAll('\n', ''))
    for (const items of [pieces.join(''), `${pieces.join('')}<Item>`])
      expect(itemsOf(items.slice(0, 990_000))).to.have.length.above(700)
  })
})
