import { Duration, Type, type PluginConfig } from 'sluice/sdk'

/** The largest width and height: MPEG-1 has 12 bits for each (ISO 11172-2 2.4.2.3), and 4:2:0 needs even numbers. */
export const MAX_SIDE = 4094

export const JsmpegConfig = Type.Object(
  {
    width: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: MAX_SIDE,
      multipleOf: 2,
      description: 'Width of the picture, its height following; 0 is that of the source',
    }),
    framerate: Type.Union(
      // The rates of ISO 11172-2 2.4.3.2 that are whole numbers.
      [Type.Literal(24), Type.Literal(25), Type.Literal(30), Type.Literal(50), Type.Literal(60)],
      { default: 25, description: 'Pictures a second' },
    ),
    bitrate: Type.Integer({
      default: 1500,
      minimum: 50,
      maximum: 50_000,
      description: 'Bit rate of the pictures, in kbit/s',
    }),
    gop: Type.Integer({
      default: 12,
      minimum: 1,
      maximum: 600,
      description: 'Pictures from keyframe to keyframe: a viewer who joins sees nothing before the next',
    }),
    audio: Type.Boolean({ default: true, description: 'Send sound, too' }),
    maxencoders: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 1000,
      description: 'Most streams that are encoded at a time, each by an ffmpeg; viewers of others are refused',
    }),
    stopdelay: Duration({
      default: '2s',
      description: 'An ffmpeg is ended this long after its last viewer left',
    }),
    ffmpegpath: Type.String({
      default: 'ffmpeg',
      minLength: 1,
      description: 'The program ffmpeg: a name that is looked for in PATH, or a path',
    }),
  },
  { title: 'JSMpeg' },
)

export type JsmpegConfig = PluginConfig<typeof JsmpegConfig>
