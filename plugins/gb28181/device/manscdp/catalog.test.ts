import { expect } from 'chai'
import type { GbDeviceOptions } from '../device-options.ts'
import { Quirks, type Quirk } from '../quirks.ts'
import { catalogAnswers } from './catalog.ts'
import { dateTimeText } from './date-time.ts'
import { recordAnswers, recordedMs, recordingsIn } from './recordings.ts'
import { element, elementsOf, parseXml, serializeXml, textOf, type XmlElement } from './xml.ts'

const DEVICE: GbDeviceOptions = {
  id: '34020000001110000001',
  server: { host: '127.0.0.1', port: 5060, id: '34020000002000000001' },
}
const CHANNELS = Array.from({ length: 5 }, (_, index) => ({
  id: `3402000000131000000${index}`,
  name: `Channel ${index}`,
  isOnline: index % 2 === 0,
}))
const QUERY = { cmdType: 'Catalog', sn: '7', deviceId: DEVICE.id }

/** The sum, the stated number of items, and their ids, of each message. */
function pagesOf(bodies: readonly (XmlElement | string)[]) {
  return bodies.map((body) => {
    const root = typeof body === 'string' ? parseXml(body) : body
    const list = root.children.find(({ name }) => name.endsWith('List'))
    const items = list?.children.map((item) => textOf(item, 'DeviceID')?.at(-1)).join('')
    return [Number(textOf(root, 'SumNum')), list?.attributes['Num'], items]
  })
}

describe('the catalogue of a device', () => {
  const answers = (quirks: readonly Quirk[] = [], pageSize = 2) =>
    catalogAnswers(QUERY, CHANNELS, { ...DEVICE, pageSize }, new Quirks(quirks))

  const cases = [
    {
      quirks: [],
      pages: [
        [5, 2, '01'],
        [5, 2, '23'],
        [5, 1, '4'],
      ],
    },
    { quirks: ['catalog-one-by-one'], pages: [0, 1, 2, 3, 4].map((index) => [5, 1, String(index)]) },
    { quirks: ['catalog-duplicates'], pages: [0, 1, 2, 3, 4].map((index) => [5, 2, `${index}${index}`]) },
    {
      quirks: ['catalog-wrong-sum'],
      pages: [
        [6, 2, '01'],
        [6, 2, '23'],
        [6, 1, '4'],
      ],
    },
    {
      quirks: ['catalog-lost-part'],
      pages: [
        [5, 2, '01'],
        [5, 1, '4'],
      ],
    },
  ] as const
  for (const { quirks, pages } of cases) {
    it(`comes in pages${quirks.map((quirk) => `, ${quirk}`).join('')}`, () =>
      expect(pagesOf(answers(quirks))).to.eql(pages))
  }

  it('says nothing found by a sum alone', () => {
    const [body, ...others] = catalogAnswers(QUERY, [], DEVICE, new Quirks())
    expect(others).to.eql([])
    expect(serializeXml(body as XmlElement))
      .to.include('<SumNum>0</SumNum>')
      .and.not.include('DeviceList')
  })

  it('has the fields of the standard, and those of a channel in their place', () => {
    const fields = { Longitude: 116.3, Manufacturer: 'Other' }
    const [body] = catalogAnswers(QUERY, [{ ...CHANNELS[0]!, fields }], DEVICE, new Quirks())
    const text = serializeXml(body as XmlElement)
    for (const part of [
      '<Manufacturer>Other</Manufacturer>',
      '<Longitude>116.3</Longitude>',
      '<CivilCode>340200<',
      '<Status>ON<',
      `<ParentID>${DEVICE.id}<`,
    ]) {
      expect(text).to.include(part)
    }
  })

  it('states digits for ON and OFF, and a name without an end, where it has these quirks', () => {
    const text = answers(['status-digits'])
      .map((body) => serializeXml(body as XmlElement))
      .join('')
    expect([...text.matchAll(/<Status>(\w+)</gu)].map(([, status]) => status)).to.eql(['1', '0', '1', '0', '1'])
    const [broken] = answers(['catalog-malformed'])
    expect(broken)
      .to.match(/<Name>Channel 1\r?\n?\s*<Manufacturer>/u)
      .and.include('<Name>Channel 0</Name>')
    expect(() => parseXml(broken as string)).to.throw()
  })
})

describe('the recordings of a device', () => {
  const at = (minute: number) => new Date(2024, 4, 1, 10, minute)
  const recordings = [
    { start: at(20), end: at(30), type: 'alarm' },
    { start: at(0), end: at(10) },
    { start: at(10), end: at(20), channelId: 'other' },
  ] as const
  const query = (fields: Readonly<Record<string, string>>) => ({
    ...QUERY,
    cmdType: 'RecordInfo',
    kind: 'Query',
    deviceId: 'one',
    root: element('Query', elementsOf(fields)),
  })
  const span = { StartTime: dateTimeText(at(0)), EndTime: dateTimeText(at(60)) }
  const startsOf = (fields: Readonly<Record<string, string>>, quirks: readonly Quirk[] = []) =>
    recordAnswers(query(fields), { ...DEVICE, recordings }, new Quirks(quirks))
      .flatMap((body) => [...serializeXml(body).matchAll(/<StartTime>([^<]+)</gu)])
      .map(([, text]) => text)

  it('are those that overlap the span, of the type, the first one first', () => {
    expect(startsOf(span)).to.eql(['2024-05-01T10:00:00', '2024-05-01T10:20:00'])
    expect(startsOf({ ...span, Type: 'alarm' })).to.eql(['2024-05-01T10:20:00'])
    expect(startsOf({ ...span, EndTime: dateTimeText(at(15)) })).to.have.length(1)
    expect(startsOf({ ...span, StartTime: dateTimeText(at(50)) })).to.eql([])
  })

  it('are written otherwise by quirks', () => {
    expect(startsOf(span, ['record-reversed'])).to.eql(['2024-05-01T10:20:00', '2024-05-01T10:00:00'])
    expect(startsOf(span, ['record-millisecond-times'])[0]).to.equal('2024-05-01T10:00:00.000')
    const [zoned] = startsOf(span, ['record-zone-times'])
    expect(zoned).to.match(/\+08:00$/u)
    expect(new Date(zoned!)).to.eql(at(0))
  })

  it('last as long as they overlap a span', () => {
    const found = recordingsIn(recordings, 'one', { start: at(5), end: at(25) })
    expect(recordedMs(found, at(5), at(25))).to.equal(10 * 60_000)
  })
})
