import { MalformedError } from '../errors.ts'
import { MAX_PAYLOAD_TYPE } from '../rtp/static-payload-type.ts'
import { parseDecimal, splitWords } from './line.ts'

/** Most parameters of one format. */
export const FMTP_MAX_PARAMETERS = 256

/** The payload type that an `fmtp` (RFC 8866 6.15) is for; undefined when it names none. */
export function fmtpPayloadType(value: string): number | undefined {
  return parseDecimal(splitWords(value, 1)[0], MAX_PAYLOAD_TYPE)
}

/**
 * Adds the parameters of an `fmtp` to those that are known: `97 streamtype=5; config=1190;`. Names become lower case; a
 * parameter without an equals sign is a name without value. Values keep all further equals signs, which base64 ends with.
 * @throws {MalformedError} when there are too many
 */
export function addFmtpParameters(value: string, parameters: Map<string, string>): void {
  const list = value.slice(splitWords(value, 1)[0]?.length)
  let start = 0
  while (start < list.length) {
    const semicolon = list.indexOf(';', start)
    const end = semicolon === -1 ? list.length : semicolon
    addParameter(list.slice(start, end).trim(), parameters)
    start = end + 1
  }
}

function addParameter(parameter: string, parameters: Map<string, string>): void {
  const equals = parameter.indexOf('=')
  const name = (equals === -1 ? parameter : parameter.slice(0, equals)).trimEnd().toLowerCase()
  if (name === '') return
  parameters.set(name, equals === -1 ? '' : parameter.slice(equals + 1).trimStart())
  if (parameters.size > FMTP_MAX_PARAMETERS)
    throw new MalformedError(`fmtp of more than ${FMTP_MAX_PARAMETERS} parameters`)
}
