import { amfFields, type AmfValue } from 'sluice/sdk/media'

/** The shape of a status code. Other codes are not repeated in messages, as they may contain data that the client sent. */
const CODE = /^Net(?:Connection|Stream)\.[A-Za-z.]{1,64}$/u

/** Refusals that not every server calls an error. */
const REFUSAL = /\.(?:StreamNotFound|BadName|Denied|Failed|Rejected)$/u

/** The information object of a server's `onStatus`, or of its refusal of a call (RTMP 1.0 §7.2.1, §7.2.2). */
export type Status = {
  readonly isError: boolean
  /** `NetStream.Play.Start` and the like. */
  readonly code: string
  /** The text for people, which also carries authentication challenges. It may contain data that the client sent. */
  readonly description: string
  /** The address to which the server redirects the client. */
  readonly redirect: string | undefined
}

/** Parses the information object of a status; undefined when the value is not an object. */
export function statusOf(information: AmfValue | undefined): Status | undefined {
  const fields = amfFields(information)
  if (fields === undefined) return undefined
  const { level, code, description, redirect, ex } = fields
  const target = amfFields(ex)?.['redirect'] ?? redirect
  const known = typeof code === 'string' && CODE.test(code) ? code : 'an unknown status'
  return {
    isError: level === 'error' || REFUSAL.test(known),
    code: known,
    description: typeof description === 'string' ? description : '',
    redirect: typeof target === 'string' && target !== '' ? target : undefined,
  }
}
