import { InvalidRequest } from 'sluice/sdk'
import { SEI_MAX_PAYLOAD_SIZE_BYTES, type SeiMessage } from 'sluice/sdk/media'

/** user_data_unregistered: its payload begins with a UUID that identifies the data (ISO/IEC 14496-10 D.1.7, 23008-2 D.2.7). */
export const USER_DATA_UNREGISTERED = 5
const UUID_SIZE_BYTES = 16
/** The UUID of user data that is a text given to this plugin: 675ae772-2069-427a-9d0f-192d3610497f. */
export const TEXT_UUID = Buffer.from('675ae7722069427a9d0f192d3610497f', 'hex')

/** A request to insert a message. */
export type Insertion = {
  /** SEI payload type. */
  readonly type: number
  readonly format: 'string' | 'json' | 'base64'
  readonly data: string
}

/**
 * Makes the message. User data that is a text gets the UUID of this plugin; bytes contain their own.
 * @throws {InvalidRequest} when the data does not match its format, lacks a UUID, or is too long
 */
export function seiMessageOf({ type, format, data }: Insertion): SeiMessage {
  const bytes = format === 'base64' ? fromBase64(data) : Buffer.from(data)
  const isUserData = type === USER_DATA_UNREGISTERED
  const payload = isUserData && format !== 'base64' ? Buffer.concat([TEXT_UUID, bytes]) : bytes
  if (payload.length > SEI_MAX_PAYLOAD_SIZE_BYTES) {
    throw new InvalidRequest(
      `the payload has ${payload.length} bytes; an SEI message takes up to ${SEI_MAX_PAYLOAD_SIZE_BYTES}`,
    )
  }
  if (isUserData && payload.length < UUID_SIZE_BYTES) {
    throw new InvalidRequest(`the data of type ${type} must begin with a UUID of ${UUID_SIZE_BYTES} bytes`)
  }
  if (format === 'json') checkJson(data)
  return { type, payload }
}

function fromBase64(data: string): Buffer {
  const bytes = Buffer.from(data, 'base64')
  // The decoder skips characters that are not base64.
  if (bytes.toString('base64') !== data)
    throw new InvalidRequest('the data must be base64 (RFC 4648 4), with its padding')
  return bytes
}

function checkJson(data: string): void {
  try {
    JSON.parse(data)
  } catch {
    throw new InvalidRequest('the data must be JSON; format=string takes any text')
  }
}
