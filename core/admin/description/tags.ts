import type { Spelling } from 'sluice/sdk/host'

type Tag = { readonly name: string; readonly description?: string }
type Subject = Required<Tag> & {
  /** The first parts of the paths of the subject's operations, behind `/api/`. */
  readonly words: readonly string[]
}

/** The subjects of the server's own operations. */
const SUBJECTS: readonly Subject[] = [
  {
    name: 'streams',
    description: 'Streams, their subscribers and tracks, and commands to their sources',
    words: ['stream', 'streams', 'subscribers', 'subscribe', 'audiotrack', 'videotrack'],
  },
  {
    name: 'proxies',
    description: 'Pull and push proxies: cameras and targets that are looked after',
    words: ['proxy', 'device'],
  },
  { name: 'recordings', description: 'Recordings of all plugins that record', words: ['record'] },
  { name: 'alarms', description: 'Alarms, and whether there are any', words: ['alarm', 'arming'] },
  { name: 'login', description: 'Login, users and tokens', words: ['auth', 'user', 'users', 'token', 'tokens'] },
  { name: 'config', description: 'The config: as it is, as it may be, and changes', words: ['config', 'storage'] },
  {
    name: 'monitor',
    description: 'Tasks at work',
    words: ['task'],
  },
]
const SYSTEM: Tag = { name: 'system', description: 'The server as a whole' }

/** The tag of an operation: the plugin that it belongs to, or one of the server's subjects. */
export function tagOf({ path }: Pick<Spelling, 'path'>, plugin: string | undefined): Tag {
  if (plugin !== undefined) return { name: plugin }
  const word = path.split('/').find((part) => part !== '' && part !== 'api' && part !== 'v6') ?? ''
  const subject = SUBJECTS.find(({ words }) => words.includes(word))
  return subject === undefined ? SYSTEM : { name: subject.name, description: subject.description }
}
