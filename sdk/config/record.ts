import { Type, type Static } from 'typebox'
import { Duration, RegexMap } from './types.ts'
import type { Frozen } from './values.ts'

/** A rule for the recordings of a stream. */
export const RecordRule = Type.Object(
  {
    mode: Type.Union([Type.Literal('auto'), Type.Literal('event')], {
      default: 'auto',
      description:
        'auto: from the start of the stream to its end; event: nothing but events, before which beforeduration of the ' +
        'stream is kept in memory',
    }),
    type: Type.String({
      default: '',
      pattern: '^(?:[a-z][a-z0-9-]*)?$',
      description: "Type of the files: mp4, flv, hls (MPEG-TS) or hlsv7 (fragmented MP4); when empty, the plugin's own",
    }),
    filepath: Type.String({
      default: '{stream}',
      description:
        'Folder of the files below that of storage; {stream} is the path of the stream, {type} the type, {date} the day ' +
        'as 2006-01-02, $0 to $9 are the match and its groups',
    }),
    filename: Type.String({
      default: '{date}-{time}',
      description:
        'Name of the files without ending; {date} and {time} (as 15-04-05) are those of their first picture, {stream} ' +
        'has _ for /',
    }),
    fragment: Duration({
      default: '0s',
      description: 'A file ends at the first keyframe after this; 0 is one file for the whole stream',
    }),
    append: Type.Boolean({
      default: false,
      description:
        'Go on in the file of that name, where there is one of the same tracks, instead of in a new one with a number; ' +
        'fragment is then of no account',
    }),
    duration: Duration({
      default: '0s',
      description: 'The recording of a stream ends after this; 0 is with the stream',
    }),
  },
  { title: 'Record' },
)
export type RecordRule = Frozen<Static<typeof RecordRule>>

/** The keys of a plugin that provides `record:` and its own name; the host acts on them. */
export const RecordConfig = Type.Object({
  onpub: Type.Object({
    record: RegexMap(RecordRule, {
      default: {},
      description: 'Regular expression to how streams whose path matches it are recorded while they are published',
    }),
  }),
  beforeduration: Duration({
    default: '30s',
    description: 'Recordings of events begin this long before, as far as the stream is kept in memory',
  }),
  afterduration: Duration({ default: '30s', description: 'Recordings of events end this long after' }),
  eventrecordfilepath: Type.String({
    default: '',
    description: 'Folder of the recordings of events below that of storage, in which there is one for each stream',
  }),
  recordfileexpiredays: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 36_500,
    description: 'Recordings go after so many days, except those of events of a high level; 0 is never',
  }),
  diskmaxpercent: Type.Number({
    default: 90,
    minimum: 0,
    maximum: 100,
    description: 'Nothing is recorded while more of the disk than this is in use, and an alarm is raised; 0 is never',
  }),
  overwritepercent: Type.Number({
    default: 0,
    minimum: 0,
    maximum: 100,
    description:
      'While more of the disk than this is in use, the oldest recordings go, except those of events of a high level; 0 ' +
      'is never',
  }),
  autorecovery: Type.Boolean({
    default: true,
    description: 'At the start, mend what a crash has left: files that were not finished, and the list of recordings',
  }),
})
export type RecordConfig = Frozen<Static<typeof RecordConfig>>
