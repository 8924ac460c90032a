import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const POSTGRES_FOLDER = '/usr/lib/postgresql'

type PeerInit = {
  readonly programs: readonly string[]
  /** GStreamer elements, one for each package that must be there. */
  readonly elements?: readonly string[]
  /** What must be there besides. */
  readonly files?: readonly string[]
  /** Debian's packages that bring it. */
  readonly packages: readonly string[]
}

/** Where Debian's libnginx-mod-rtmp lies. */
export const NGINX_RTMP_MODULE = '/usr/lib/nginx/modules/ngx_rtmp_module.so'

/** Where Debian's libraries lie. */
const LIBRARIES = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`

const PEERS = {
  ffmpeg: { programs: ['ffmpeg', 'ffprobe'], packages: ['ffmpeg'] },
  chromium: { programs: ['chromium-headless-shell'], packages: ['chromium-headless-shell'] },
  gstreamer: {
    programs: ['gst-launch-1.0', 'gst-inspect-1.0'],
    elements: ['videotestsrc', 'flvmux', 'rtmp2sink', 'x264enc', 'avenc_aac', 'rtspclientsink'],
    packages: [
      'gstreamer1.0-tools',
      'gstreamer1.0-plugins-base',
      'gstreamer1.0-plugins-good',
      'gstreamer1.0-plugins-bad',
      'gstreamer1.0-plugins-ugly',
      'gstreamer1.0-libav',
      'gstreamer1.0-rtsp',
    ],
  },
  webrtcbin: {
    programs: ['gst-inspect-1.0'],
    elements: ['webrtcbin', 'dtlssrtpenc', 'x264enc', 'vp8enc', 'opusenc'],
    files: [
      '/usr/bin/python3',
      '/usr/lib/python3/dist-packages/gi',
      `${LIBRARIES}/girepository-1.0/GstWebRTC-1.0.typelib`,
      // Its version is none of GStreamer's, so that `gst-inspect-1.0 --exists` takes its elements for too old.
      `${LIBRARIES}/gstreamer-1.0/libgstnice.so`,
    ],
    packages: [
      'python3-gi',
      'gir1.2-gst-plugins-bad-1.0',
      'gstreamer1.0-nice',
      'gstreamer1.0-tools',
      'gstreamer1.0-plugins-base',
      'gstreamer1.0-plugins-good',
      'gstreamer1.0-plugins-bad',
      'gstreamer1.0-plugins-ugly',
    ],
  },
  srt: {
    programs: ['srt-live-transmit', 'gst-launch-1.0', 'gst-inspect-1.0'],
    elements: ['qtdemux', 'h264parse', 'mpegtsmux', 'srtsink'],
    packages: [
      'srt-tools',
      'gstreamer1.0-tools',
      'gstreamer1.0-plugins-base',
      'gstreamer1.0-plugins-good',
      'gstreamer1.0-plugins-bad',
    ],
  },
  sipp: { programs: ['sipp'], packages: ['sip-tester'] },
  vlc: { programs: ['cvlc', 'setpriv'], packages: ['vlc-bin', 'vlc-plugin-base', 'util-linux'] },
  debootstrap: { programs: ['debootstrap', 'unshare', 'chroot'], packages: ['debootstrap', 'util-linux'] },
  openssl: { programs: ['openssl'], packages: ['openssl'] },
  nginx: { programs: ['nginx'], packages: ['nginx'] },
  'nginx-rtmp': { programs: ['nginx'], files: [NGINX_RTMP_MODULE], packages: ['nginx', 'libnginx-mod-rtmp'] },
  caddy: { programs: ['caddy'], packages: ['caddy'] },
  // The program alone: Debian's tinyproxy starts as a service.
  tinyproxy: { programs: ['tinyproxy'], packages: ['tinyproxy-bin'] },
  microsocks: { programs: ['microsocks'], packages: ['microsocks'] },
  postgresql: { programs: ['initdb', 'postgres', 'setpriv'], packages: ['postgresql', 'util-linux'] },
  prometheus: { programs: ['prometheus', 'promtool'], packages: ['prometheus'] },
  // The library alone: Debian's swift-proxy and the others start as services.
  swift: {
    programs: ['curl'],
    files: ['/usr/bin/python3', '/usr/lib/python3/dist-packages/swift/common/middleware/s3api/s3api.py'],
    packages: ['python3-swift', 'curl'],
  },
  systemd: { programs: ['systemd-analyze'], packages: ['systemd'] },
} as const satisfies Record<string, PeerInit>

/** A program of others that tests talk to. */
export type PeerName = keyof typeof PEERS

/** The peers that are not on this machine, looked up anew. */
export function missingPeers(): PeerName[] {
  return (Object.keys(PEERS) as PeerName[]).filter((name) => !isInstalled(PEERS[name]))
}

/** Debian's packages of some peers. */
export function packagesOf(names: readonly PeerName[]): string[] {
  return names.flatMap((name) => [...PEERS[name].packages])
}

/** The path of a program, or undefined when it is neither in `PATH` nor where Debian has the programs of PostgreSQL. */
export function findProgram(program: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...postgresFolders()]
  return folders.map((folder) => join(folder, program)).find(isExecutable)
}

/** A folder for each version. */
function postgresFolders(): string[] {
  if (!existsSync(POSTGRES_FOLDER)) return []
  return readdirSync(POSTGRES_FOLDER).map((version) => join(POSTGRES_FOLDER, version, 'bin'))
}

function isInstalled({ programs, elements = [], files = [] }: PeerInit): boolean {
  if (!programs.every((program) => findProgram(program) !== undefined) || !files.every(existsSync)) return false
  // Without a version it asks for GStreamer's own, which plugins of others, such as libnice's, do not have.
  const options = ['--exists', '--atleast-version=0.0']
  return elements.every((element) => spawnSync('gst-inspect-1.0', [...options, element]).status === 0)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
