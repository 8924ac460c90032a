/** The message types of RTMP 1.0 §5.4, §6.2 and §7.1. Shared objects (16, 19) are left out: no media peer uses them. */
export const MESSAGE_TYPE = {
  setChunkSize: 1,
  abort: 2,
  acknowledgement: 3,
  userControl: 4,
  windowAckSize: 5,
  setPeerBandwidth: 6,
  audio: 8,
  video: 9,
  dataAmf3: 15,
  commandAmf3: 17,
  dataAmf0: 18,
  commandAmf0: 20,
  aggregate: 22,
} as const

/** True for types of messages that carry media, and so may be large. */
export function isMediaType(typeId: number): boolean {
  return typeId === MESSAGE_TYPE.audio || typeId === MESSAGE_TYPE.video || typeId === MESSAGE_TYPE.aggregate
}

/** True for the types that a publisher sends: media, and data about it. */
export function carriesMedia(typeId: number): boolean {
  return isMediaType(typeId) || typeId === MESSAGE_TYPE.dataAmf0 || typeId === MESSAGE_TYPE.dataAmf3
}
