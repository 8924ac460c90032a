export { AccessUnit } from './access-unit.ts'
export { parseAmf0, serializeAmf0 } from './amf/amf0.ts'
export { AMF_MAX_DEPTH, AMF_MAX_VALUES } from './amf/budget.ts'
export { amfFields, isAmfObject, newAmfObject, type AmfObject, type AmfValue } from './amf/value.ts'
export { BitReader } from './bits/bit-reader.ts'
export { BitWriter } from './bits/bit-writer.ts'
export { insertEmulationPrevention, removeEmulationPrevention } from './bits/emulation-prevention.ts'
export { parseAdtsHeader, serializeAdtsHeader, splitAdts, type AdtsHeader } from './codec/aac/adts.ts'
export {
  parseAudioSpecificConfig,
  serializeAudioSpecificConfig,
  type AudioSpecificConfig,
} from './codec/aac/audio-specific-config.ts'
export { aacConfig, aacConfigFromAdts, aacSamplesPerFrame } from './codec/aac/config.ts'
export { ac3Config } from './codec/ac3/config.ts'
export { parseAc3SyncFrame, type Ac3SyncFrame } from './codec/ac3/sync-frame.ts'
export { av1Config, av1ConfigFromSequenceHeader } from './codec/av1/config.ts'
export { isAv1Keyframe } from './codec/av1/keyframe.ts'
export { AV1_OBU_TYPE, joinObus, splitObus, type Av1Obu } from './codec/av1/obu.ts'
export { flacConfig } from './codec/flac/config.ts'
export { parseFlacStreamInfo, serializeFlacStreamInfo, type FlacStreamInfo } from './codec/flac/stream-info.ts'
export { g711Config } from './codec/g711/config.ts'
export {
  parseAvcDecoderConfigurationRecord,
  serializeAvcDecoderConfigurationRecord,
  type AvcDecoderConfigurationRecord,
} from './codec/h264/avc-decoder-configuration-record.ts'
export { h264Config, h264ConfigFromParameterSets } from './codec/h264/config.ts'
export { H264DtsExtractor } from './codec/h264/dts-extractor.ts'
export { H264_NALU_TYPE, h264NaluType, isH264RandomAccess } from './codec/h264/nalu-type.ts'
export { parseH264Sei, serializeH264Sei } from './codec/h264/sei.ts'
export { parseH264Sps, type H264Sps } from './codec/h264/sps.ts'
export { h265Config, h265ConfigFromParameterSets } from './codec/h265/config.ts'
export {
  parseHevcDecoderConfigurationRecord,
  serializeHevcDecoderConfigurationRecord,
  type HevcDecoderConfigurationRecord,
} from './codec/h265/hevc-decoder-configuration-record.ts'
export { H265DtsExtractor } from './codec/h265/dts-extractor.ts'
export { H265_NALU_TYPE, h265NaluType, isH265RandomAccess } from './codec/h265/nalu-type.ts'
export { parseH265Sei, serializeH265Sei } from './codec/h265/sei.ts'
export { parseH265Sps, type H265Sps } from './codec/h265/sps.ts'
export { mp3Config } from './codec/mp3/config.ts'
export { parseMp3FrameHeader, type Mp3FrameHeader } from './codec/mp3/frame-header.ts'
export {
  joinAnnexB,
  joinLengthPrefixed,
  MAX_ACCESS_UNIT_SIZE_BYTES,
  MAX_NALUS_PER_ACCESS_UNIT,
  splitAnnexB,
  splitLengthPrefixed,
} from './codec/nalu.ts'
export { SEI_MAX_MESSAGES, SEI_MAX_PAYLOAD_SIZE_BYTES, SEI_MAX_PAYLOAD_TYPE, type SeiMessage } from './codec/sei.ts'
export { opusConfig } from './codec/opus/config.ts'
export { parseOpusHead, serializeOpusHead, type OpusHead } from './codec/opus/opus-head.ts'
export { opusPacketDuration } from './codec/opus/packet-duration.ts'
export { tryParse } from './codec/try-parse.ts'
export { vp8Config } from './codec/vp8/config.ts'
export { parseVp8FrameHeader } from './codec/vp8/frame-header.ts'
export { vp9Config, vp9ConfigFromKeyframe } from './codec/vp9/config.ts'
export { ANNEXB_FORMAT, serializeAnnexB } from './container/annexb/format.ts'
export { canCarryInAnnexB } from './container/annexb/unit-pieces.ts'
export { canCarryInFlv } from './container/flv/carriage.ts'
export { parseFlvFileHeader, serializeFlvFileHeader, type FlvFileHeader } from './container/flv/file-header.ts'
export { FLV_FORMAT } from './container/flv/format.ts'
export { FlvReader } from './container/flv/reader.ts'
export {
  onMetaDataFields,
  parseScriptData,
  serializeOnMetaData,
  type FlvScriptData,
} from './container/flv/script-data.ts'
export { FlvTagDemuxer } from './container/flv/tag-demuxer.ts'
export { flvConfigBody, flvTagType, flvUnitHeader, unitTimestampMs } from './container/flv/tag-muxer.ts'
export {
  FLV_MAX_TAG_SIZE_BYTES,
  FLV_TAG_HEADER_SIZE_BYTES,
  FLV_TAG_TRAILER_SIZE_BYTES,
  FLV_TAG_TYPE,
  parseFlvTagHeader,
  serializeFlvTag,
  type FlvTag,
  type FlvTagHeader,
} from './container/flv/tag.ts'
export { Fmp4Demuxer } from './container/fmp4/demuxer.ts'
export { parseBoxHead } from './container/fmp4/box.ts'
export { isSyncSample } from './container/fmp4/boxes/track-run.ts'
export { canCarryInFmp4, fmp4Timescale, fmp4TrackId } from './container/fmp4/carriage.ts'
export { fmp4ContentType, initSegmentContentType } from './container/fmp4/content-type.ts'
export { FragmentWriter, type Fragment } from './container/fmp4/fragment-writer.ts'
export {
  parseMovieFragment,
  serializeFragment,
  type SampleRun,
  type TrackFragment,
  type TrackSamples,
} from './container/fmp4/fragment.ts'
export { sampleUnit } from './container/fmp4/sample-unit.ts'
export { createInitSegment, type MovieTrack } from './container/fmp4/init-segment.ts'
export { liveFmp4Tracks } from './container/fmp4/live/carried-track.ts'
export { FMP4_FORMAT } from './container/fmp4/live/format.ts'
export { TrackFragmentWriter } from './container/fmp4/track-fragment-writer.ts'
export {
  FRAGMENT_TABLE_TAIL_BYTES,
  parseFragmentTable,
  parseFragmentTableSize,
  type FragmentTime,
  serializeFragmentTable,
} from './container/mp4/fragment-times.ts'
export { parseMp4Movie, type Mp4FileTrack, type Mp4Movie } from './container/mp4/movie.ts'
export type { DataSpan } from './container/mp4/data-span.ts'
export { FragmentJoiner, joinFragment, type JoinedFragment } from './container/mp4/fragment-joiner.ts'
export type { JoinedSource, SourcePlacement } from './container/mp4/joined-tracks.ts'
export { MovieIndex } from './container/mp4/movie-index.ts'
export { Mp4SampleCursor, type Mp4Sample } from './container/mp4/sample-cursor.ts'
export { PES_TIMESCALE } from './container/pes/clock.ts'
export { PsDemuxer } from './container/mpegps/demuxer.ts'
export { canCarryInPs, PsMuxer } from './container/mpegps/muxer.ts'
export { TsDemuxer } from './container/mpegts/demuxer.ts'
export type { TsSinkChoice, TsStreamPlace } from './container/mpegts/program-demuxer.ts'
export { canCarryDataInTs, TS_SYNCHRONOUS_KLV } from './container/mpegts/data-entry.ts'
export { TS_DATA_FORMAT, TS_FORMAT } from './container/mpegts/format.ts'
export { serializeTsRestart, TS_CLOCK_LEAD_TICKS, TsMuxer } from './container/mpegts/muxer.ts'
export { TS_PACKET_SIZE_BYTES } from './container/mpegts/packet.ts'
export { canCarryInTs } from './container/mpegts/stream-entry.ts'
export { MalformedError, MovieLimitError } from './errors.ts'
export {
  isRtcp,
  parseRtpPacket,
  RTP_HEADER_SIZE_BYTES,
  serializeRtpPacket,
  writeRtpHeader,
  type RtpHeader,
  type RtpHeaderExtension,
  type RtpPacket,
} from './rtp/packet.ts'
export { createRtpDepacketizer, createRtpPacketizer, MP2T_ENCODING, rtpFormatProblem } from './rtp/payload-formats.ts'
export { unwrapRetransmission } from './rtp/retransmission.ts'
export { nextSequenceNumber, sequenceOffset } from './rtp/sequence-number.ts'
export {
  parseRtpExtensionElements,
  serializeRtpExtensionElements,
  type RtpExtensionElement,
} from './rtp/header-extension.ts'
export {
  parseTransportWideFeedback,
  TRANSPORT_WIDE_MAX_PACKETS,
  TRANSPORT_WIDE_REFERENCE_MS,
  TRANSPORT_WIDE_TICK_MS,
  transportWideFeedback,
  type TransportWideFeedback,
} from './rtp/rtcp/transport-wide-feedback.ts'
export type { TransportFeedback } from './rtp/rtcp/transport-feedback.ts'
export { RtpReceiver, type RtpFormatReading, type RtpReceiverInit } from './rtp/receiver.ts'
export type { RtpPayloadReader } from './rtp/payload-reader.ts'
export { RTP_STREAM_MAX_SKIPPED_BYTES, RtpStreamReader, type RtpStreamReaderInit } from './rtp/stream-reader.ts'
export { RtpReceptionStatistics } from './rtp/reception-statistics.ts'
export { RtpReorderBuffer, type RtpPacketHandler, type RtpReorderLimits } from './rtp/reorder-buffer.ts'
export { parseRtcp, serializeRtcp, type RtcpPacket } from './rtp/rtcp/compound.ts'
export { parseRemb, rembFeedback, type ReceiverEstimate } from './rtp/rtcp/receiver-estimated-bitrate.ts'
export type { PayloadFeedback } from './rtp/rtcp/payload-feedback.ts'
export { shortNtpDelay, shortNtpTime } from './rtp/rtcp/ntp-time.ts'
export { RtpFeedback, type KeyframeMessage, type RtpFeedbackInit } from './rtp/session/feedback.ts'
export { KeyframeRequester, type KeyframeRequesterInit } from './rtp/session/keyframe-requester.ts'
export { MissingPackets } from './rtp/session/missing-packets.ts'
export { sumReceptions, type RtpReceptionCounts } from './rtp/session/reception-counts.ts'
export { serializeRtpGoodbye, serializeRtpReport } from './rtp/session/reports.ts'
export { randomRtpStart, RtpSender, type RtpSenderInit } from './rtp/session/sender.ts'
export type { RtpFraming } from './rtp/framing.ts'
export { LENGTH_FRAMING } from './rtp/length-framing.ts'
export { PsPayloadReader } from './rtp/mp2p/payload-reader.ts'
export type { RtpPacketizer, RtpPayload } from './rtp/packetizer.ts'
export { SDES_ITEM_TYPE } from './rtp/rtcp/source-description.ts'
export type { ReportBlock } from './rtp/rtcp/report-block.ts'
export type { SenderReport } from './rtp/rtcp/sender-report.ts'
export { RtpClock, type RtpTrackClock } from './rtp/rtp-clock.ts'
export type { RtpFormat } from './rtp/format.ts'
export { canCarryInRtp, rtpFormatOfTrack } from './rtp/track-format.ts'
export { WallClock } from './rtp/wall-clock.ts'
export { sdpAttribute, type SdpAttribute } from './sdp/attribute.ts'
export type { SdpConnection } from './sdp/connection.ts'
export type { SdpLine } from './sdp/line.ts'
export type { MediaDescription } from './sdp/media-description.ts'
export type { SdpOrigin } from './sdp/origin.ts'
export { rtpFormatAttributes, rtpFormatsOf } from './sdp/rtp-media.ts'
export { parseSdp, serializeSdp, type SessionDescription } from './sdp/session-description.ts'
export type { SdpTime } from './sdp/time.ts'
export { CounterUnwrapper } from './time/counter-unwrapper.ts'
export { rescale } from './time/rescale.ts'
export { StallClock } from './time/stall-clock.ts'
export { freeLayer, mainTracks } from './track.ts'
export type {
  AudioCodec,
  AudioConfig,
  AudioTrack,
  DataCodec,
  DataConfig,
  DataTrack,
  MediaTrack,
  Track,
  TrackInit,
  VideoCodec,
  VideoConfig,
  VideoTrack,
} from './track.ts'
export type { UnitSink } from './unit-sink.ts'
