"""The dev host: one's own server and its pages, under the real sandbox's rules, on one machine.

Two origins on loopback: the host's window, and the sandbox that pages are shown in. The bridge
between page and server runs here, in Python; the window only carries messages.
"""
