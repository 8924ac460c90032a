import { Address, Duration, PortRange, Secret, Type } from 'sluice/sdk'

/** `udp::5060`, `tcp:[::]:5060`; without a transport, both. */
const SIP_ADDRESS = String.raw`^((udp|tcp):)?\S*:\d{1,5}$`

export const Gb28181Config = Type.Object(
  {
    serial: Type.String({
      default: '34020000002000000001',
      pattern: String.raw`^\d{20}$`,
      description: 'Id of this platform (SIP server ID), 20 digits, of which 11 to 13 are 200',
    }),
    realm: Type.String({
      default: '3402000000',
      pattern: String.raw`^[\w.-]{1,64}$`,
      description: 'Domain of this platform (SIP domain), mostly the first ten digits of serial',
    }),
    password: Secret({
      default: '',
      description: 'Password of devices that have none of their own; empty lets every device in',
    }),
    sip: Type.Object(
      {
        listenaddr: Type.Array(Type.String({ pattern: SIP_ADDRESS }), {
          default: ['udp::5060', 'tcp::5060'],
          description: 'Addresses of SIP, as udp::5060; one without udp or tcp is both',
        }),
        listenaddrtls: Type.Array(Address({ default: '' }), {
          default: [],
          description: 'Addresses of SIP over TLS, as :5061',
        }),
        certfile: Type.String({ default: '', description: 'Certificate chain (PEM) of listenaddrtls' }),
        keyfile: Type.String({ default: '', description: 'Private key (PEM) of certfile' }),
      },
      { title: 'SIP' },
    ),
    sipip: Type.String({
      default: '',
      description: 'Address by which devices reach SIP here; empty is the one that leads to each device',
    }),
    mediaip: Type.String({
      default: '',
      description: 'Address that devices send media to; empty is the one that leads to each device',
    }),
    mediaport: PortRange({
      default: '10001-20000',
      description: 'Ports for media, one for each stream; a single port takes the media of all',
    }),
    keepaliveinterval: Duration({
      default: '60s',
      description: 'Time between the signs of life of devices, at least; longer where theirs come less often',
    }),
    keepalivecount: Type.Integer({
      default: 3,
      minimum: 1,
      maximum: 255,
      description: 'Signs of life that may be missing before a device is offline',
    }),
    timezone: Type.String({
      default: 'Asia/Shanghai',
      pattern: String.raw`^[\w+-]*(/[\w+-]+)*$`,
      description: 'Time zone of the devices, as the standard writes times without one; empty is that of this server',
    }),
    invitetimeout: Duration({
      default: '15s',
      description: 'Time in which a device must answer a request for media, and its first media must come',
    }),
    position: Type.Object(
      {
        expires: Duration({ default: '3600s', description: 'Lifetime of a subscription to positions' }),
        interval: Duration({ default: '6s', description: 'Time between two positions of a device' }),
      },
      { title: 'Positions' },
    ),
    automigrate: Type.Boolean({
      default: true,
      description: 'Make the root of the groups of channels where there is none',
    }),
    autoinvite: Type.Boolean({
      default: false,
      description: 'Fetch the streams of all channels that are online, also without viewers',
    }),
  },
  { title: 'GB/T 28181' },
)
