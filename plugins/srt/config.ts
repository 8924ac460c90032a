import { Duration, RegexMap, Type, udpConfig } from 'sluice/sdk'

/** The passphrases that libsrt accepts (`SRTO_PASSPHRASE`) and every tool can pass on: 10 to 80 printable characters of ASCII. */
const PASSPHRASE = '^$|^[ -~]{10,80}$'
const MAX_BYTES_PER_SECOND = 2 ** 40

function Passphrase(description: string) {
  return Type.String({ default: '', pattern: PASSPHRASE, format: 'password', writeOnly: true, description })
}

export const SrtConfig = Type.Object(
  {
    ...udpConfig({ listenaddr: ':6000' }).properties,
    passphrase: Passphrase(
      'Passphrase of 10 to 80 characters that publishers and players must encrypt with; empty is no encryption',
    ),
    passphrases: RegexMap(Passphrase('Passphrase of these streams; empty is no encryption'), {
      default: {},
      description:
        'Regular expression of stream paths, without their query, to the passphrase of those that match, in place of ' +
        'passphrase; the first that matches holds',
    }),
    latency: Duration({
      default: '120ms',
      description:
        'How long lost packets may take to be sent again, at least: the larger one of this and what the peer asks for ' +
        'holds; up to 65 s',
    }),
    maxbw: Type.Integer({
      default: -1,
      minimum: -1,
      maximum: MAX_BYTES_PER_SECOND,
      description: 'Most bytes a second to a peer, with what is sent again; -1 and 0 are no limit',
    }),
  },
  { title: 'SRT' },
)
