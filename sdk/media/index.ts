export { AccessUnit } from './access-unit.ts'
export { parseAmf0, serializeAmf0 } from './amf/amf0.ts'
export { AMF_MAX_DEPTH, AMF_MAX_VALUES } from './amf/budget.ts'
export { isAmfObject, newAmfObject, type AmfObject, type AmfValue } from './amf/value.ts'
export { MalformedError } from './errors.ts'
export { CounterUnwrapper } from './time/counter-unwrapper.ts'
export { rescale } from './time/rescale.ts'
export type {
  AudioCodec,
  AudioConfig,
  AudioTrack,
  Track,
  TrackInit,
  VideoCodec,
  VideoConfig,
  VideoTrack,
} from './track.ts'
export type { UnitSink } from './unit-sink.ts'
