import type { GbChannel, GbDeviceOptions } from '../device-options.ts'
import type { Quirks } from '../quirks.ts'
import { bodyOf, type ReceivedBody } from './body.ts'
import { element, elementsOf, serializeXml, type XmlElement } from './xml.ts'

/** The digits of an id that are its region (GB/T 28181-2022 annex E). */
const REGION_DIGITS = 6
const DEFAULT_PAGE_SIZE = 4

/** The item of a channel in a catalogue (A.2.1.10). */
export function catalogItem(channel: GbChannel, device: GbDeviceOptions, quirks: Quirks): XmlElement {
  const { id, name, isOnline = true, fields = {} } = channel
  const [on, off] = quirks.has('status-digits') ? ['1', '0'] : ['ON', 'OFF']
  return element(
    'Item',
    elementsOf({
      DeviceID: id,
      Name: name,
      Manufacturer: device.manufacturer ?? 'Sluice',
      Model: device.model ?? 'gb-device',
      Owner: 'Owner',
      CivilCode: device.id.slice(0, REGION_DIGITS),
      Address: 'Address',
      Parental: 0,
      ParentID: device.id,
      SafetyWay: 0,
      RegisterWay: 1,
      Secrecy: 0,
      Status: isOnline ? on : off,
      ...fields,
    }),
  )
}

/** The messages that answer a query for the catalogue, of which each waits for the response to the one before. */
export function catalogAnswers(
  query: Pick<ReceivedBody, 'cmdType' | 'sn' | 'deviceId'>,
  channels: readonly GbChannel[],
  device: GbDeviceOptions,
  quirks: Quirks,
): (XmlElement | string)[] {
  const own = channels.map((channel) => catalogItem(channel, device, quirks))
  const items = quirks.has('catalog-duplicates') ? own.flatMap((item) => [item, item]) : own
  const pageSize = quirks.has('catalog-one-by-one') ? 1 : device.pageSize
  const sum = own.length + (quirks.has('catalog-wrong-sum') ? 1 : 0)
  const bodies = pagedAnswers(query, { list: 'DeviceList', items, pageSize, sum })
  const sent = quirks.has('catalog-lost-part') ? bodies.filter((_, index) => index !== 1) : bodies
  return quirks.has('catalog-malformed') ? sent.map(withoutEnd) : sent
}

/** The messages that answer a query by a list: pages of so many items, each with the sum of all (9.3.4 and 9.7). */
export function pagedAnswers(
  query: Pick<ReceivedBody, 'cmdType' | 'sn' | 'deviceId'>,
  init: {
    /** The name of the element that has the items, such as `RecordList`. */
    readonly list: string
    readonly items: readonly XmlElement[]
    readonly pageSize: number | undefined
    readonly sum?: number
    /** Further elements before the sum. */
    readonly fields?: readonly XmlElement[]
  },
): XmlElement[] {
  const { list, items, pageSize = DEFAULT_PAGE_SIZE, sum = items.length, fields = [] } = init
  const head = [...fields, element('SumNum', sum)]
  // Nothing found is no list at all.
  if (items.length === 0) return [bodyOf('Response', query, head)]
  const pages: XmlElement[] = []
  for (let at = 0; at < items.length; at += pageSize) {
    const page = items.slice(at, at + pageSize)
    pages.push(bodyOf('Response', query, [...head, element(list, page, { Num: page.length })]))
  }
  return pages
}

/** A message whose second item, or first where it has one alone, has a name without an end. */
function withoutEnd(body: XmlElement): string {
  const parts = serializeXml(body).split('</Name>')
  const at = Math.min(2, parts.length - 1)
  return parts.map((part, index) => (index === 0 ? part : index === at ? part : `</Name>${part}`)).join('')
}
