import { Type, type Static } from 'typebox'
import { StreamPath } from '../../plugin/operation-values.ts'
import { PullRule, PushRule } from '../jobs.ts'
import { Duration } from '../types.ts'

/** The keys that pull and push proxies share in the config file. */
const COMMON = {
  id: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'Takes the place of the stored proxy with this id at each start; 0: the entry is not stored',
  }),
  name: Type.String({ default: '', description: 'For people' }),
  type: Type.Union([Type.String(), Type.Integer()], {
    default: '',
    description: 'Protocol, by its name or number; told by the address when empty',
  }),
  streampath: Type.Optional(StreamPath()),
  audio: Type.Boolean({ default: true, description: 'With sound' }),
  parentid: Type.Integer({ default: 0, minimum: 0, description: 'For clients that show a tree' }),
  description: Type.String({ default: '', description: 'For people' }),
}

/** An entry of `global.pullproxy`. */
export const PullProxyEntry = Type.Object({
  ...COMMON,
  pull: PullRule,
  pullonstart: Type.Boolean({ default: false, description: 'Pull as soon as the source is there' }),
  stoponidle: Type.Boolean({ default: false, description: 'Stop 5 s after the last subscriber left' }),
  record: Type.Object({
    filepath: Type.String({ default: '', description: 'Where to record; empty is nowhere' }),
    fragment: Duration({ default: '0s', description: 'Length of a file; 0 is one file' }),
  }),
  checkinterval: Duration({
    default: '10s',
    description: 'Between two looks whether the source is there, while it is not; from 1s to 1h',
  }),
})
export type PullProxyEntry = Static<typeof PullProxyEntry>

/** An entry of `global.pushproxy`. */
export const PushProxyEntry = Type.Object({
  ...COMMON,
  push: PushRule,
  pushonstart: Type.Boolean({ default: false, description: 'Push as soon as the target is there' }),
})
export type PushProxyEntry = Static<typeof PushProxyEntry>
