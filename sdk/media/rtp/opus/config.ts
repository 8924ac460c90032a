import { MalformedError } from '../../errors.ts'
import { OPUS_SAMPLE_RATE, opusConfig } from '../../codec/opus/config.ts'
import { serializeOpusHead } from '../../codec/opus/opus-head.ts'
import type { OpusHead } from '../../codec/opus/opus-head.ts'
import type { AudioConfig } from '../../track.ts'
import type { RtpFormat } from '../format.ts'

/** The channels of family 1 are in the order of Vorbis, those of family 255 in no known one (RFC 7845 5.1.1). */
const VORBIS_ORDER_FAMILY = 1
const MAX_VORBIS_CHANNELS = 8
const DISCRETE_FAMILY = 255
const MAX_CHANNELS = 255

/** The OpusHead of a stream of one or two channels; nothing is to be dropped where a receiver joins. */
export function opusConfigOfChannels(channels: 1 | 2): AudioConfig {
  return configOf({ channels, mappingFamily: 0, mapping: undefined })
}

/**
 * The OpusHead that `fmtp` stands for. `OPUS` is always 48 kHz and two channels in `rtpmap`, and `sprop-stereo` states the
 * channels that are sent (RFC 7587 6.1); `MULTIOPUS`, as Chromium writes it, has `num_streams`, `coupled_streams` and
 * `channel_mapping`.
 * @throws {MalformedError} for several streams without their layout
 */
export function opusFormatConfig({ encodingName, channels, parameters }: RtpFormat): AudioConfig {
  if (encodingName !== 'MULTIOPUS') return opusConfigOfChannels(parameters.get('sprop-stereo')?.trim() === '1' ? 2 : 1)
  const numbers = (name: string) => (parameters.get(name) ?? '').split(',').map((text) => Number.parseInt(text, 10))
  const [streamCount = 0] = numbers('num_streams')
  const [coupledCount = 0] = numbers('coupled_streams')
  const mapping = numbers('channel_mapping')
  if (
    mapping.length !== channels ||
    channels > MAX_CHANNELS ||
    ![streamCount, coupledCount, ...mapping].every(isByte)
  ) {
    throw new MalformedError(
      `layout of ${channels} channels of Opus: ${streamCount}, ${coupledCount}, ${mapping.join()}`,
    )
  }
  return configOf({
    channels,
    mappingFamily: channels <= MAX_VORBIS_CHANNELS ? VORBIS_ORDER_FAMILY : DISCRETE_FAMILY,
    mapping: { streamCount, coupledCount, channels: mapping },
  })
}

function configOf(layout: Pick<OpusHead, 'channels' | 'mappingFamily' | 'mapping'>): AudioConfig {
  return opusConfig(
    serializeOpusHead({ version: 1, preSkip: 0, inputSampleRate: OPUS_SAMPLE_RATE, outputGain: 0, ...layout }),
  )
}

function isByte(value: number): boolean {
  return value >= 0 && value <= 0xff
}
