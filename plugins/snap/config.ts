import { Duration, RegexMap, Type, type PluginConfig } from 'sluice/sdk'

/** A folder below that of storage: no `..`, nothing absolute, nothing that files can't be called. */
export const FOLDER = String.raw`^(?!/)(?!.*(?:^|/)\.\.(?:/|$))[^\u0000-\u001f<>:"|?*\\]{0,200}$`

const WatermarkRule = Type.Object(
  {
    text: Type.String({ default: '', maxLength: 500, description: 'Text in the picture; empty for none' }),
    fontpath: Type.String({
      default: '',
      description: 'A font file below a font folder of the system, or the name of a font; when empty, Sans',
    }),
    fontcolor: Type.String({ default: 'rgba(255,165,0,1)', description: 'Color of the text, with its opacity' }),
    fontsize: Type.Number({ default: 36, minimum: 1, maximum: 1000, description: 'Size of the text, in pixels' }),
    fontspacing: Type.Number({
      default: 2,
      minimum: 0,
      maximum: 1000,
      description: 'Space between the lines of the text, in pixels',
    }),
    offsetx: Type.Integer({ default: 0, minimum: 0, maximum: 65_535, description: 'From the left edge, in pixels' }),
    offsety: Type.Integer({ default: 0, minimum: 0, maximum: 65_535, description: 'From the upper edge, in pixels' }),
  },
  { title: 'Watermark' },
)

/** How streams are pictured while they are published. */
const PictureRule = Type.Object(
  {
    timeinterval: Duration({
      default: '0s',
      description: 'A picture each time this has passed, of the next keyframe; 0 where iframeinterval says when',
    }),
    iframeinterval: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 1_000_000,
      description: 'A picture of one keyframe out of so many; 0 where timeinterval says when',
    }),
    savepath: Type.String({ default: 'snap', pattern: FOLDER, description: 'Folder below that of storage' }),
    watermark: WatermarkRule,
  },
  { title: 'Pictures' },
)

export const SnapConfig = Type.Object(
  {
    querytimedelta: Duration({
      default: '3s',
      description: 'How much older a stored picture may be than the time that it is asked for',
    }),
    ffmpegpath: Type.String({
      default: 'ffmpeg',
      minLength: 1,
      description: 'The program ffmpeg: a name that is looked for in PATH, or a path',
    }),
    onpub: Type.Object(
      {
        transform: RegexMap(PictureRule, {
          default: {},
          description: 'Regular expression to how streams whose path matches it are pictured while they are published',
        }),
      },
      { title: 'When a stream is published' },
    ),
  },
  { title: 'Snapshots' },
)
export type SnapConfig = PluginConfig<typeof SnapConfig>

/** How streams are pictured while they are published. */
export type PictureRule = SnapConfig['onpub']['transform'][string]
