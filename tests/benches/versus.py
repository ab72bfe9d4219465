"""Draws the shapes of `versus` with Skia and Blend2D, and a Lottie file with rlottie, as far as their packages are
installed. One thread. Prints a line a task: program, task, least time in ms."""
import json, math, sys, time

job = json.load(sys.stdin)
width, height = job["size"]


def least(draw):
    best = math.inf
    for _ in range(job["runs"]):
        begin = time.thread_time()
        draw()
        best = min(best, time.thread_time() - begin)
    return best * 1e3


def skia():
    import skia as sk

    def paint(shape):
        color = sk.Color(*shape["color"])
        paint = sk.Paint(AntiAlias=True, Color=color)
        if shape["stroke"]:
            paint.setStyle(sk.Paint.kStroke_Style)
            paint.setStrokeWidth(shape["stroke"])
            paint.setStrokeCap(sk.Paint.kRound_Cap)
            paint.setStrokeJoin(sk.Paint.kRound_Join)
        if gradient := shape["gradient"]:
            at = [stop for stop, _ in gradient["stops"]]
            colors = [sk.Color(*stop) for _, stop in gradient["stops"]]
            if ends := gradient.get("linear"):
                points = [sk.Point(*ends[:2]), sk.Point(*ends[2:])]
                paint.setShader(sk.GradientShader.MakeLinear(points, colors, at))
            else:
                x, y, _, _, _, radius = gradient["radial"]
                paint.setShader(sk.GradientShader.MakeRadial(sk.Point(x, y), radius, colors, at))
        return paint

    def path(shape):
        path = sk.Path()
        verbs = {"M": path.moveTo, "L": path.lineTo, "Q": path.quadTo, "C": path.cubicTo, "Z": path.close}
        for verb, *numbers in shape["path"]:
            verbs[verb](*numbers)
        return path

    surface = sk.Surface(width, height)
    for task in job["tasks"]:
        # One call a frame: what Python itself takes is not Skia's.
        recorder = sk.PictureRecorder()
        canvas = recorder.beginRecording(sk.Rect(width, height))
        for shape in task["shapes"]:
            a, b, c, d, x, y = shape["transform"]
            canvas.save()
            canvas.concat(sk.Matrix([a, c, x, b, d, y, 0, 0, 1]))
            canvas.drawPath(path(shape), paint(shape))
            canvas.restore()
        picture = recorder.finishRecordingAsPicture()
        print("Skia", task["name"], least(lambda: surface.getCanvas().drawPicture(picture)), sep="\t")


def blend2d():
    import blend2d as bl

    def flattened(shape):
        """Its package has lines only: curves become as many as differ from them by less than 0.05 pixels."""
        a, b, c, d, x0, y0 = shape["transform"]
        path, last = bl.Path(), None
        at = lambda x, y: (a * x + c * y + x0, b * x + d * y + y0)
        for verb, *n in shape["path"]:
            if verb == "M":
                last = at(*n)
                path.move_to(*last)
            elif verb == "L":
                last = at(*n)
                path.line_to(*last)
            elif verb == "Z":
                path.close()
            else:
                p = [last] + [at(*n[k:k + 2]) for k in range(0, len(n), 2)]
                steps = 16
                for k in range(1, steps + 1):
                    q, t = p, k / steps
                    while len(q) > 1:
                        q = [((1 - t) * u[0] + t * v[0], (1 - t) * u[1] + t * v[1]) for u, v in zip(q, q[1:])]
                    path.line_to(*q[0])
                last = p[-1]
        return path

    for task in job["tasks"]:
        # Its package has no strokes and no gradients.
        if task["shapes"][0]["stroke"] or task["shapes"][0]["gradient"]:
            continue
        shapes = [(flattened(shape), shape["color"]) for shape in task["shapes"]]

        def draw(image=bl.Image(width, height)):
            context = bl.Context(image)
            for path, color in shapes:
                context.set_fill_style_rgba(*color)
                context.fill_path(path)
            context.end()
        print("Blend2D", task["name"], least(draw), sep="\t")


def rlottie():
    import rlottie_python

    if not job["lottie"]:
        print("rlottie is left out: there is no target/release/render-frames to write its file")
        return
    with rlottie_python.LottieAnimation.from_file(job["lottie"]["path"]) as animation:
        count, total = job["lottie"]["frames"], animation.lottie_animation_get_totalframe()
        frames = [total * k // count for k in range(count)]
        draw = lambda: [animation.lottie_animation_render(frame, width=width, height=height) for frame in frames]
        print("rlottie", "walk", least(draw) / count, sep="\t")


for rival in skia, blend2d, rlottie:
    try:
        rival()
    except ImportError as error:
        print(f"{rival.__name__} is left out: {error}")
