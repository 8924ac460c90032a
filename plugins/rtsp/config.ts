import { Duration, PortRange, Secret, tcpConfig, Type } from 'sluice/sdk'

export const RtspConfig = Type.Object(
  {
    tcp: tcpConfig({ listenaddr: ':554' }),
    username: Type.String({
      default: '',
      description: 'Name that clients must give (basic or digest); empty is no check',
    }),
    password: Secret({ default: '', description: 'Password of username' }),
    udpport: PortRange({
      default: '20001-30000',
      description: 'Ports for media over UDP, two for each track of a session',
    }),
    sessiontimeout: Duration({
      default: '60s',
      description:
        'A session over UDP, or one not begun yet, whose client sends neither requests nor RTCP for this long is closed',
    }),
    transport: Type.Union([Type.Literal('auto'), Type.Literal('tcp'), Type.Literal('udp')], {
      default: 'auto',
      description: 'How media of pulls and pushes travels; auto tries UDP, and TCP where nothing comes by that',
    }),
    verifycertificate: Type.Boolean({
      default: true,
      description: 'Verify the certificates of servers (rtsps) that streams are pulled from and pushed to',
    }),
    backchannel: Type.Boolean({
      default: true,
      description: 'Let players talk to a stream that they may play (ONVIF back channel)',
    }),
    multicast: Type.Object(
      {
        address: Type.String({
          default: '239.255.42.0',
          // 224.0.0.0/4 (RFC 5771 3).
          pattern: String.raw`^$|^(22[4-9]|23\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$`,
          description:
            'IPv4 address of the first stream that is played by multicast; others get the next; empty is none',
        }),
        port: Type.Integer({
          default: 5000,
          minimum: 1024,
          maximum: 65_000,
          multipleOf: 2,
          description: 'Port of the first track of a stream; its others have the next',
        }),
      },
      { title: 'Multicast' },
    ),
  },
  { title: 'RTSP' },
)
