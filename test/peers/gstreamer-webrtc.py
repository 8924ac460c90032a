"""Publishes by WHIP (RFC 9725) or plays by WHEP with GStreamer's webrtcbin.

gstreamer-webrtc.py publish URL CODEC        a numbered test picture and a tone, until it is ended
gstreamer-webrtc.py play URL FOLDER          writes what comes to FOLDER/video.gdp and FOLDER/audio.gdp

It writes a line to standard error for each thing that happens: `connected`, `video VP8`, `failed REASON`.
"""

import sys
import urllib.error
import urllib.request

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

VIDEO = {
    "VP8": ("vp8enc deadline=1 keyframe-max-dist=25 ! rtpvp8pay pt=96 picture-id-mode=15-bit", "VP8"),
    "VP9": ("vp9enc deadline=1 keyframe-max-dist=25 ! rtpvp9pay pt=96 picture-id-mode=15-bit", "VP9"),
    "H264": (
        "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25"
        " ! video/x-h264,profile=constrained-baseline ! rtph264pay pt=96 config-interval=-1 aggregate-mode=zero-latency",
        "H264",
    ),
}
# What a stream of a codec becomes on the way into a file.
DEPAYLOADERS = {
    "VP8": "rtpvp8depay",
    "VP9": "rtpvp9depay",
    "H264": "rtph264depay ! video/x-h264,stream-format=byte-stream,alignment=au",
    "H265": "rtph265depay ! video/x-h265,stream-format=byte-stream,alignment=au",
    "OPUS": "rtpopusdepay",
    "PCMA": "rtppcmadepay",
    "PCMU": "rtppcmudepay",
    "G722": "rtpg722depay",
}
# What it offers to take, by media.
TAKEN = (
    "application/x-rtp,media=video,encoding-name=H264,payload=96,clock-rate=90000,packetization-mode=(string)1,"
    "profile-level-id=(string)42e01f,rtcp-fb-nack=true,rtcp-fb-nack-pli=true;"
    "application/x-rtp,media=video,encoding-name=VP8,payload=97,clock-rate=90000,rtcp-fb-nack=true,rtcp-fb-nack-pli=true;"
    "application/x-rtp,media=video,encoding-name=VP9,payload=98,clock-rate=90000,rtcp-fb-nack=true,rtcp-fb-nack-pli=true",
    "application/x-rtp,media=audio,encoding-name=OPUS,payload=111,clock-rate=48000,encoding-params=(string)2",
)


def say(text):
    # At once, as several threads of GStreamer say something.
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class Peer:
    def __init__(self, url):
        self.url = url
        self.loop = GLib.MainLoop()
        self.asked = False

    def run(self, pipeline):
        self.pipeline = pipeline
        self.webrtc = pipeline.get_by_name("webrtc")
        self.webrtc.connect("notify::ice-gathering-state", lambda *_: GLib.idle_add(self.gathered))
        self.webrtc.connect("notify::connection-state", self.changed)
        bus = pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::error", lambda _, message: self.fail(message.parse_error()[0].message))
        pipeline.set_state(Gst.State.PLAYING)
        self.loop.run()
        pipeline.set_state(Gst.State.NULL)

    def fail(self, why):
        say(f"failed {why}")
        self.loop.quit()

    def offer(self, *_):
        self.webrtc.emit("create-offer", None, Gst.Promise.new_with_change_func(self.offered))

    def offered(self, promise):
        # The offer lives no longer than what it is taken from.
        reply = promise.get_reply()
        offer = reply.get_value("offer")
        self.webrtc.emit("set-local-description", offer, Gst.Promise.new())

    def gathered(self):
        # All candidates are in the offer, as neither side has to trickle then.
        complete = self.webrtc.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE
        offer = self.webrtc.get_property("local-description")
        if not complete or self.asked or offer is None:
            return
        self.asked = True
        request = urllib.request.Request(
            self.url, offer.sdp.as_text().encode(), {"Content-Type": "application/sdp"}, method="POST"
        )
        try:
            with urllib.request.urlopen(request) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            self.fail(f"{error.code} {error.read().decode()}")
            return
        _, message = GstSdp.SDPMessage.new()
        GstSdp.sdp_message_parse_buffer(text, message)
        answer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, message)
        self.webrtc.emit("set-remote-description", answer, Gst.Promise.new())

    def changed(self, *_):
        say(self.webrtc.get_property("connection-state").value_nick)


def publish(url, codec):
    video, name = VIDEO[codec]
    peer = Peer(url)
    caps = f"application/x-rtp,media=video,encoding-name={name},payload=96"
    pipeline = Gst.parse_launch(
        "webrtcbin name=webrtc bundle-policy=max-bundle"
        f" videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! {video} ! {caps} ! webrtc."
        " audiotestsrc is-live=true ! audioconvert ! audioresample ! audio/x-raw,rate=48000,channels=2 ! opusenc ! rtpopuspay pt=97"
        " ! application/x-rtp,media=audio,encoding-name=OPUS,payload=97,clock-rate=48000,encoding-params=(string)2 ! webrtc."
    )
    webrtc = pipeline.get_by_name("webrtc")
    webrtc.connect("on-negotiation-needed", peer.offer)
    peer.run(pipeline)


def play(url, folder):
    peer = Peer(url)
    pipeline = Gst.Pipeline.new()
    webrtc = Gst.ElementFactory.make("webrtcbin", "webrtc")
    webrtc.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
    pipeline.add(webrtc)
    for caps in TAKEN:
        direction = GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY
        transceiver = webrtc.emit("add-transceiver", direction, Gst.Caps.from_string(caps))
        transceiver.set_property("do-nack", True)

    def added(_, pad):
        if pad.direction != Gst.PadDirection.SRC:
            return
        caps = pad.get_current_caps().get_structure(0)
        kind, codec = caps.get_string("media"), caps.get_string("encoding-name").upper()
        say(f"{kind} {codec}")
        written = f'gdppay ! filesink async=false sync=false buffer-mode=unbuffered location="{folder}/{kind}.gdp"'
        output = Gst.parse_bin_from_description(f"{DEPAYLOADERS[codec]} ! {written}", True)
        pipeline.add(output)
        output.sync_state_with_parent()
        pad.link(output.get_static_pad("sink"))

    webrtc.connect("pad-added", added)
    webrtc.connect("on-negotiation-needed", peer.offer)
    peer.run(pipeline)


if __name__ == "__main__":
    Gst.init(None)
    {"publish": publish, "play": play}[sys.argv[1]](*sys.argv[2:])
