import { amfFields, type AmfValue } from 'sluice/sdk/media'

/** What a server may call its answers; others are not repeated in messages, as they may hold what it was sent. */
const CODE = /^Net(?:Connection|Stream)\.[A-Za-z.]{1,64}$/u

/** Refusals that not every server calls an error. */
const REFUSAL = /\.(?:StreamNotFound|BadName|Denied|Failed|Rejected)$/u

/** The information object of a server's `onStatus`, or of its refusal of a call (RTMP 1.0 §7.2.1, §7.2.2). */
export type Status = {
  readonly isError: boolean
  /** `NetStream.Play.Start` and the like. */
  readonly code: string
  /** For people, and for those who have to authenticate. It may hold what the server was sent. */
  readonly description: string
  /** Where the server sends its client instead. */
  readonly redirect: string | undefined
}

/** What a server says by an information object; undefined when it is none. */
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
