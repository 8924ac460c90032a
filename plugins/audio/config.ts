import { Duration, Type, type PluginConfig } from 'sluice/sdk'

export const AudioConfig = Type.Object(
  {
    bitrate: Type.Integer({
      default: 96,
      minimum: 16,
      maximum: 510,
      description: 'Bit rate of the sound that is made, in kbit/s',
    }),
    maxencoders: Type.Integer({
      default: 16,
      minimum: 1,
      maximum: 1000,
      description: 'Most streams whose sound is encoded at a time, each by an ffmpeg; players of others get no sound',
    }),
    stopdelay: Duration({
      default: '5s',
      description: 'An ffmpeg is ended this long after its last player left',
    }),
    ffmpegpath: Type.String({
      default: 'ffmpeg',
      minLength: 1,
      description: 'The program ffmpeg: a name that is looked for in PATH, or a path',
    }),
  },
  { title: 'Audio' },
)

export type AudioConfig = PluginConfig<typeof AudioConfig>
