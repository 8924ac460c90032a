import newQrCode from 'qrcode-generator'

type Props = { readonly text: string; readonly label: string }

const SIZE = 168
/** The light edge that readers need, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** A QR code, dark on light in any colour scheme, as readers expect it. */
export default function QrCode({ text, label }: Props) {
  const code = newQrCode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const side = count + 2 * QUIET_ZONE
  const dark = Array.from({ length: count }, (_, row) =>
    Array.from({ length: count }, (_, column) =>
      code.isDark(row, column) ? `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h1v1h-1z` : '',
    ).join(''),
  ).join('')
  return (
    <svg
      width={SIZE}
      height={SIZE}
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={dark} fill="#000" />
    </svg>
  )
}
