/** The first bytes of a JPEG, and the last (ITU-T T.81 annex B). */
const START = Buffer.from([0xff, 0xd8, 0xff])
const END = Buffer.from([0xff, 0xd9])
const HEAD_END = Buffer.from('\r\n\r\n')
/** The longest head of a part that is looked through. */
const MAX_HEAD_BYTES = 8192
/** The most parts that are looked at. */
const MAX_PARTS = 32

/**
 * The picture that a device has sent: as it is, as a part of a form, or in JSON as `imageData` by base64. Content types lie, so it is the
 * bytes that count; undefined where there is no JPEG.
 */
export function jpegIn(body: Buffer): Buffer | undefined {
  if (isJpeg(body)) return body
  if (body[0] === 0x7b) return jpegOfJson(body)
  return body.subarray(0, 2).toString('latin1') === '--' ? jpegOfForm(body) : undefined
}

/** True for bytes that begin and end as a JPEG does. */
export function isJpeg(bytes: Buffer): boolean {
  return bytes.subarray(0, START.length).equals(START) && bytes.lastIndexOf(END) > 0
}

function jpegOfJson(body: Buffer): Buffer | undefined {
  try {
    const { imageData } = JSON.parse(body.toString('utf8')) as { readonly imageData?: unknown }
    const bytes = typeof imageData === 'string' ? Buffer.from(imageData, 'base64') : undefined
    return bytes !== undefined && isJpeg(bytes) ? bytes : undefined
  } catch {
    return undefined
  }
}

/** The first part of a form that is a JPEG (RFC 2046 5.1.1). */
function jpegOfForm(body: Buffer): Buffer | undefined {
  const lineEnd = body.indexOf('\r\n')
  if (lineEnd < 0 || lineEnd > MAX_HEAD_BYTES) return undefined
  const boundary = Buffer.concat([Buffer.from('\r\n'), body.subarray(0, lineEnd)])
  let at = lineEnd
  for (let parts = 0; parts < MAX_PARTS; parts += 1) {
    const headEnd = body.subarray(at, at + MAX_HEAD_BYTES).indexOf(HEAD_END)
    if (headEnd < 0) return undefined
    const start = at + headEnd + HEAD_END.length
    const end = body.indexOf(boundary, start)
    const content = body.subarray(start, end < 0 ? body.length : end)
    if (isJpeg(content)) return content
    if (end < 0) return undefined
    at = end + boundary.length
  }
  return undefined
}
