import type { XmlElement } from './element.ts'
import type { ManscdpMessage } from './message.ts'

/** The change of an item that a notice tells (A.2.5.4 of GB/T 28181-2022). */
export type CatalogEvent = (typeof EVENTS)[number]

const EVENTS = ['ON', 'OFF', 'VLOST', 'DEFECT', 'ADD', 'DEL', 'UPDATE'] as const

/** A channel, or a node of the tree that it is in (A.2.1.9). Undefined is what the device does not say: a notice may have the id alone. */
export type CatalogItem = {
  readonly deviceId: string
  readonly name: string | undefined
  readonly manufacturer: string | undefined
  readonly model: string | undefined
  readonly owner: string | undefined
  readonly civilCode: string | undefined
  readonly block: string | undefined
  readonly address: string | undefined
  /** 1 with devices below it. */
  readonly parental: number | undefined
  /** Several are joined by `/`. */
  readonly parentId: string | undefined
  readonly safetyWay: number | undefined
  readonly registerWay: number | undefined
  readonly certNum: string | undefined
  readonly certifiable: number | undefined
  readonly errCode: number | undefined
  readonly endTime: string | undefined
  readonly securityLevelCode: string | undefined
  readonly secrecy: number | undefined
  readonly ipAddress: string | undefined
  readonly port: number | undefined
  /** Never logged. */
  readonly password: string | undefined
  readonly status: 'ON' | 'OFF' | undefined
  /** Degrees, of WGS 84. */
  readonly longitude: number | undefined
  readonly latitude: number | undefined
  readonly businessGroupId: string | undefined
  readonly info: CatalogItemInfo
  /** In notices. */
  readonly event: CatalogEvent | undefined
}

/** The camera of an item. Where a field may have several values, they are joined by `/`. */
export type CatalogItemInfo = {
  /** 1 dome, 2 half dome, 3 fixed, 4 fixed that can be moved … */
  readonly ptzType: number | undefined
  readonly positionType: number | undefined
  readonly roomType: number | undefined
  readonly useType: number | undefined
  readonly supplyLightType: number | undefined
  readonly directionType: number | undefined
  readonly resolution: string | undefined
  readonly streamNumberList: string | undefined
  readonly downloadSpeed: string | undefined
  readonly svcSpaceSupportMode: number | undefined
  readonly svcTimeSupportMode: number | undefined
}

/** One message of an answer, or of a notice. */
export type CatalogPage = {
  /** The items of all messages; undefined where the device does not say. */
  readonly sumNum: number | undefined
  readonly items: readonly CatalogItem[]
}

const ON = /^(?:ON|ONLINE|OK|1|TRUE|在线)$/iu
const OFF = /^(?:OFF|OFFLINE|0|FALSE|ERROR|VLOST|DEFECT|离线)$/iu
const MAX_PORT = 65_535

/** Reads an answer to a query of the catalog (A.2.6.4), or a notice of it (A.2.5.4). Items without an id are left out. */
export function parseCatalog({ root }: ManscdpMessage): CatalogPage {
  // Behind a list that ends too early, items are in the root.
  const items = [...(root.child('DeviceList')?.all('Item') ?? []), ...root.all('Item')]
  return { sumNum: root.integer('SumNum'), items: items.flatMap((item) => itemOf(item) ?? []) }
}

function itemOf(item: XmlElement): CatalogItem | undefined {
  const deviceId = item.text('DeviceID')
  if (deviceId === undefined) return undefined
  const port = item.integer('Port')
  const event = item.text('Event')?.toUpperCase()
  return {
    deviceId,
    name: item.text('Name'),
    manufacturer: item.text('Manufacturer'),
    model: item.text('Model'),
    owner: item.text('Owner'),
    civilCode: item.text('CivilCode'),
    block: item.text('Block'),
    address: item.text('Address'),
    parental: item.integer('Parental'),
    parentId: item.text('ParentID'),
    safetyWay: item.integer('SafetyWay'),
    registerWay: item.integer('RegisterWay'),
    certNum: item.text('CertNum'),
    certifiable: item.integer('Certifiable'),
    errCode: item.integer('ErrCode'),
    endTime: item.text('EndTime'),
    securityLevelCode: item.text('SecurityLevelCode'),
    secrecy: item.integer('Secrecy'),
    ipAddress: item.text('IPAddress'),
    port: port !== undefined && port > 0 && port <= MAX_PORT ? port : undefined,
    password: item.text('Password'),
    status: statusOf(item.text('Status')),
    longitude: degreesOf(item, 'Longitude', 180),
    latitude: degreesOf(item, 'Latitude', 90),
    businessGroupId: item.text('BusinessGroupID') ?? item.child('Info')?.text('BusinessGroupID'),
    info: infoOf(item),
    event: EVENTS.find((each) => each === event),
  }
}

/** The fields of `Info`, which some devices write beside it. */
function infoOf(item: XmlElement): CatalogItemInfo {
  const info = item.child('Info')
  const text = (name: string) => info?.text(name) ?? item.text(name)
  const integer = (name: string) => info?.integer(name) ?? item.integer(name)
  return {
    ptzType: integer('PTZType'),
    positionType: integer('PositionType'),
    roomType: integer('RoomType'),
    useType: integer('UseType'),
    supplyLightType: integer('SupplyLightType'),
    directionType: integer('DirectionType'),
    resolution: text('Resolution'),
    streamNumberList: text('StreamNumberList'),
    downloadSpeed: text('DownloadSpeed'),
    // The standard of 2016 spells the first in another way.
    svcSpaceSupportMode: integer('SVCSpaceSupportMode') ?? integer('SVCSpaceSupportMod'),
    svcTimeSupportMode: integer('SVCTimeSupportMode'),
  }
}

function statusOf(text: string | undefined): CatalogItem['status'] {
  if (text === undefined) return undefined
  if (ON.test(text)) return 'ON'
  return OFF.test(text) ? 'OFF' : undefined
}

function degreesOf(item: XmlElement, name: string, max: number): number | undefined {
  const degrees = item.number(name)
  return degrees !== undefined && Math.abs(degrees) <= max ? degrees : undefined
}
