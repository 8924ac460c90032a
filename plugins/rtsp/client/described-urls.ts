import { sdpAttribute, tryParse, type MediaDescription, type SessionDescription } from 'sluice/sdk/media'
import type { RtspHeaders } from '../wire/message/headers.ts'
import { controlUrl, parseRtspUrl } from '../wire/url.ts'

/** The URLs of the session and the medias in a description. */
export class DescribedUrls {
  /** The address of the whole presentation, for PLAY. */
  readonly whole: string
  readonly #base: string

  /**
   * Relative addresses are resolved against the session's own, if that is absolute, as ffmpeg, live555 and GStreamer do; else against
   * Content-Base, Content-Location or the request (RFC 2326 C.1.1), the first of them that is an address of RTSP: cameras send all
   * sorts of values.
   * @param requested the address of the DESCRIBE that was answered
   */
  constructor(headers: RtspHeaders, { attributes }: SessionDescription, requested: string) {
    const named = [headers.get('content-base'), headers.get('content-location')]
    const base = named.find((url) => url !== undefined && isRtspUrl(url)) ?? requested
    const control = controlOf(attributes)
    this.#base = isRtspUrl(control) ? control : base
    this.whole = control.includes('://') ? this.#base : controlUrl(base, control)
  }

  ofMedia({ attributes }: MediaDescription): string {
    return controlUrl(this.#base, controlOf(attributes))
  }
}

function controlOf(attributes: MediaDescription['attributes']): string {
  return sdpAttribute(attributes, 'control')?.value ?? ''
}

function isRtspUrl(text: string): boolean {
  return tryParse(parseRtspUrl, text) !== undefined
}
