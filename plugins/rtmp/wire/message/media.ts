import { MESSAGE_TYPE } from './message-type.ts'
import type { MessageBody } from './raw-message.ts'

/**
 * Audio and video (RTMP 1.0 §7.1.4, §7.1.5). The payload is the body of an FLV audio or video tag, enhanced RTMP
 * included; it is a view into the message.
 */
export type Media = { readonly kind: 'audio' | 'video'; readonly payload: Buffer }

export function serializeMedia(media: Media): MessageBody {
  return { typeId: MESSAGE_TYPE[media.kind], payload: media.payload }
}
