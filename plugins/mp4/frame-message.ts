import { frameBinaryMessage, frameTextMessage } from 'sluice/sdk/http'
import { initSegmentContentType } from 'sluice/sdk/media'

/**
 * Frames each write as one binary WebSocket message. A text message with the content type goes before a write that begins
 * with an init segment; configurations always come first in a write.
 */
export function frameFmp4Message(bytes: Buffer): Buffer {
  const contentType = initSegmentContentType(bytes)
  const message = frameBinaryMessage(bytes)
  return contentType === undefined ? message : Buffer.concat([frameTextMessage(contentType), message])
}
