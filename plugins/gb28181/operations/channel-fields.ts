import { checkStreamPath, Type, type Static } from 'sluice/sdk'
import { livePath, type Channel } from '../registry/channel.ts'
import { MASK } from './views.ts'

const Text = (maxLength = 255) => Type.Optional(Type.String({ maxLength }))
const Count = (maximum = 65_535) => Type.Optional(Type.Integer({ minimum: 0, maximum }))
const Degrees = () => Type.Optional(Type.String({ pattern: String.raw`^(-?\d{1,3}(\.\d{0,20})?)?$` }))

/** The id by which operators and platforms call a channel; empty for none. */
export const CustomId = () => Type.String({ pattern: String.raw`^[A-Za-z\d-]{0,32}$` })

/** The fields of `ProxyChannel` of the API that a catalog would have (api.md 7.3). */
export const CHANNEL_FIELDS = {
  name: Text(),
  manufacturer: Text(),
  model: Text(),
  owner: Text(),
  civilCode: Text(32),
  block: Text(),
  address: Text(),
  port: Count(),
  parental: Count(1),
  parentId: Text(),
  safetyWay: Count(),
  registerWay: Count(),
  certNum: Text(),
  certifiable: Count(),
  errCode: Count(),
  endTime: Text(64),
  secrecy: Count(),
  ipAddress: Text(64),
  password: Type.Optional(Type.String({ maxLength: 128, description: 'Masked, it stays as it is' })),
  ptzType: Count(),
  positionType: Count(),
  roomType: Count(),
  useType: Count(),
  supplyLightType: Count(),
  directionType: Count(),
  resolution: Text(),
  businessGroupId: Text(32),
  downloadSpeed: Text(64),
  svcSpaceSupportMod: Count(),
  svcTimeSupportMode: Count(),
  status: Type.Optional(
    Type.Union([Type.Literal('ON'), Type.Literal('OFF'), Type.Literal('')], {
      description: 'OFF: as long as nobody publishes its stream',
    }),
  ),
  longitude: Degrees(),
  latitude: Degrees(),
}

const ChannelFields = Type.Object(CHANNEL_FIELDS)

/** Returns the fields of a channel that a request sets; others are left out. */
export function channelFields({ status, password, ...fields }: Static<typeof ChannelFields>): Partial<Channel> {
  return {
    ...fields,
    ...(password !== undefined && password !== MASK && { password }),
    ...(status && { isOn: status === 'ON' }),
  }
}

/**
 * The stream that is played in place of a channel's own; empty for its own.
 * @throws {InvalidRequest} when it is no path
 */
export function otherPath(channel: Pick<Channel, 'deviceId' | 'channelId'>, text: string): string {
  const streamPath = /^\/*$/u.test(text) ? '' : checkStreamPath(text)
  return streamPath === livePath(channel) ? '' : streamPath
}
