/**
 * Messages of types 15 and 17 begin with a byte 0, which means that AMF0 follows; AMF3 values then come after AMF0's switch marker. Some
 * encoders leave the byte out; no AMF0 message of either type can begin with 0, a number's marker.
 */
const AMF0_FOLLOWS = 0

/** The AMF0 values of a message of type 15 or 17, as a view. */
export function withoutAmf3Prefix(payload: Buffer): Buffer {
  return payload[0] === AMF0_FOLLOWS ? payload.subarray(1) : payload
}

/** The payload of a message of type 15 or 17 from its AMF0 values. */
export function withAmf3Prefix(values: Buffer): Buffer {
  return Buffer.concat([Buffer.of(AMF0_FOLLOWS), values])
}
