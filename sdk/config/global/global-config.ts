import { Type, type Static } from 'typebox'
import { InheritedConfig } from '../groups.ts'
import { Address, ByteSize, Duration, Network, RegexMap } from '../types.ts'
import { LoginUser } from './login-user.ts'
import { PullProxyEntry, PushProxyEntry } from './proxy-entries.ts'
import { S3Config } from './s3-config.ts'

/** The `global` section: what plugins inherit, and what concerns the server as a whole. */
export const GlobalConfig = Type.Object({
  ...InheritedConfig.properties,
  publicip: Type.String({
    default: '',
    description: 'Public address of this server, as /api/sysinfo shows it; when empty, the address of its network card',
  }),
  publicipv6: Type.String({
    default: '',
    description: 'Public IPv6 address of this server, as WebRTC tells it to peers',
  }),
  admin: Type.Object(
    {
      listenaddr: Address({
        default: '',
        description: 'Address of administration alone, which no other address answers then; empty is those of http',
      }),
      listenaddrtls: Address({ default: '', description: 'The same over TLS' }),
      certfile: Type.String({ default: '', description: 'Certificate chain (PEM); that of http when empty' }),
      keyfile: Type.String({ default: '', description: 'Private key (PEM) of certfile' }),
      enablelogin: Type.Boolean({
        default: false,
        description:
          'Who administers logs in, from any address; when off, administration is open to this machine alone',
      }),
      users: Type.Array(LoginUser, {
        default: [],
        description: 'Users that are added, or given this password and role, at each start while enablelogin is on',
      }),
    },
    { title: 'Administration' },
  ),
  armed: Type.Boolean({
    default: false,
    description: 'Send the webhooks of hook; disarmed, events are stored where savealarm says so, and nobody is told',
  }),
  streamalias: RegexMap(Type.String({ format: 'alias-target' }), {
    default: {},
    description:
      'Regular expression to the stream that paths which match it are aliases of, made when somebody subscribes; $0 to $9 ' +
      'are the match and its groups',
  }),
  pull: Type.Object(
    {
      deny: Type.Array(Network(), {
        default: [],
        description:
          'Addresses and networks that pulls and pushes may not connect to, wherever a name or redirect leads',
      }),
      folders: Type.Array(Type.String(), {
        default: ['media'],
        description: 'Folders, as seen from the working directory, whose files can be pulled',
      }),
    },
    { title: 'Pulls and pushes' },
  ),
  metrics: Type.Object(
    {
      streams: Type.Integer({
        default: 1000,
        minimum: 0,
        maximum: 2500,
        description:
          'Streams that have series of their own in /metrics, those with the most subscribers; totals have all',
      }),
    },
    { title: 'Metrics' },
  ),
  datadir: Type.String({
    default: 'data',
    minLength: 1,
    description: 'Folder of what must survive, as seen from the working directory; made when it is missing',
  }),
  storage: Type.Object(
    {
      local: Type.Object(
        {
          path: Type.String({
            default: 'recordings',
            minLength: 1,
            description:
              'Folder of recordings and pictures, as seen from the working directory; made when it is missing',
          }),
          backuppath: Type.String({
            default: '',
            description:
              'Folder that the oldest files are moved to when the disk is full; empty is none: they are deleted',
          }),
          overwritepercent: Type.Number({
            default: 0,
            minimum: 0,
            maximum: 100,
            description:
              'While more of the disk of path than this is in use, the oldest recordings go; those of events of a high ' +
              'level stay; 0 is never',
          }),
          backupoverwritepercent: Type.Number({
            default: 0,
            minimum: 0,
            maximum: 100,
            description: 'The same of backuppath, whose oldest recordings are deleted',
          }),
        },
        { title: 'Files of this machine' },
      ),
      s3: Type.Object(
        {
          ...S3Config.properties,
          spoolsize: ByteSize({
            default: '10GB',
            description: 'Nothing is recorded while so much waits on this machine for the bucket; 0 is no limit',
          }),
        },
        { title: 'A bucket (S3) that recordings go to; without its name they stay on this machine' },
      ),
    },
    { title: 'Storage' },
  ),
  db: Type.Object(
    {
      dsn: Type.String({
        format: 'database',
        default: '',
        description:
          'Database: the path of a SQLite file, or postgres://user:password@host/database; empty is sluice.db in datadir',
      }),
      dbtype: Type.Union([Type.Literal(''), Type.Literal('sqlite'), Type.Literal('postgres')], {
        default: '',
        description: 'sqlite or postgres; when empty, dsn tells',
      }),
    },
    { title: 'Database' },
  ),
  taskhistory: Type.Boolean({
    default: false,
    description: 'Keep the tasks, publishers and subscribers that end in the database, for the task history',
  }),
  pullproxy: Type.Array(PullProxyEntry, {
    default: [],
    description: 'Sources that are looked after, and pulled when they are there or when somebody asks for them',
  }),
  pushproxy: Type.Array(PushProxyEntry, {
    default: [],
    description: 'Targets that are looked after, and sent a stream when both are there',
  }),
  plugins_dir: Type.Array(Type.String(), {
    default: [],
    description: 'Further folders with plugins, as seen from the config file; a single one needs no list',
  }),
  disableall: Type.Boolean({
    default: false,
    description:
      'Turn all plugins off, except those with enable: true in their section; features of the server, as recordings, stay on',
  }),
  draintimeout: Duration({
    default: '1h',
    description: 'How long sessions go on in the old version of a plugin that was replaced; 0 is as long as they like',
  }),
})
export type GlobalConfig = Static<typeof GlobalConfig>
