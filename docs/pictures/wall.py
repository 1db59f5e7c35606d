#!/usr/bin/env python3
"""Draws the picture of the README: a wall of 1000 bricks just after the ball went through it.

    ./scree run wall --time 0.5
    ./scree export wall.h5 wall.pvd --surfaces
    xvfb-run -a python3 docs/pictures/wall.py wall/bodies_000042.vtp docs/pictures/wall.png

Needs the packages python3-vtk9, xvfb and libgl1-mesa-dri; it is no part of the build or the tests.
"""
import sys

import numpy
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

SIZE = (1200, 700)  # pixels
FASTEST = 8.0  # m/s, the end of the colour scale
SKY, HORIZON = (0.48, 0.60, 0.74), (0.93, 0.94, 0.95)
GROUND = (0.66, 0.645, 0.61)

# Speed 0 is brick, fast is bright: one hue to the other without passing a grey.
SCALE = [(0.0, (0.52, 0.20, 0.14)), (0.12, (0.70, 0.28, 0.14)), (0.35, (0.90, 0.42, 0.12)),
         (0.65, (0.99, 0.72, 0.20)), (1.0, (1.0, 0.95, 0.66))]


def bodies(path):
    """The surfaces of all bodies but the ground, which has the highest id."""
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    ground = reader.GetOutput().GetPointData().GetArray("id").GetRange()[1]
    threshold = vtk.vtkThreshold()
    threshold.SetInputData(reader.GetOutput())
    threshold.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_POINTS, "id")
    threshold.SetLowerThreshold(ground - 0.5)
    threshold.SetThresholdFunction(vtk.vtkThreshold.THRESHOLD_LOWER)
    surface = vtk.vtkGeometryFilter()
    surface.SetInputConnection(threshold.GetOutputPort())
    normals = vtk.vtkPolyDataNormals()  # sharp edges on bricks, none on the ball
    normals.SetInputConnection(surface.GetOutputPort())
    normals.SetFeatureAngle(40)
    normals.SplittingOn()
    normals.Update()
    return normals.GetOutput()


def speed_colours():
    colours = vtk.vtkColorTransferFunction()
    for share, colour in SCALE:
        colours.AddRGBPoint(share * FASTEST, *colour)
    return colours


def colour_by_speed(surface, colours):
    data = surface.GetPointData()
    speed, mass, ids = (vtk_to_numpy(data.GetArray(n)) for n in ("speed", "mass", "id"))
    rgb = [colours.GetColor(min(s, FASTEST)) for s in speed]
    # Bricks differ a little, or a wall at rest would be one flat area; the ball is of steel.
    for i, (body, kg) in enumerate(zip(ids, mass)):
        shade = 0.86 + 0.28 * ((int(body) * 7919) % 97) / 97
        rgb[i] = (0.30, 0.33, 0.38) if kg > 100 else tuple(min(1.0, c * shade) for c in rgb[i])
    array = numpy_to_vtk((255 * numpy.array(rgb)).astype("uint8"), deep=True)
    array.SetName("colour")
    data.SetScalars(array)


def add_actor(renderer, source, colour=None):
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputDataObject(source)
    mapper.SetScalarVisibility(colour is None)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    look.SetAmbient(0.27)
    look.SetDiffuse(0.75)
    look.SetSpecular(0.06)
    if colour:
        look.SetColor(*colour)
    renderer.AddActor(actor)


def add_ground(renderer):
    plane = vtk.vtkPlaneSource()
    plane.SetOrigin(-150, -150, 0)
    plane.SetPoint1(150, -150, 0)
    plane.SetPoint2(-150, 150, 0)
    plane.Update()
    add_actor(renderer, plane.GetOutput(), GROUND)


def add_sun(renderer):
    sun = vtk.vtkLight()
    sun.SetLightTypeToSceneLight()
    sun.PositionalOn()  # shadow maps need a cone
    sun.SetPosition(14, 36, 42)
    sun.SetFocalPoint(0, 2, 0)
    sun.SetConeAngle(26)
    sun.SetIntensity(1.2)
    sun.SetColor(1.0, 0.97, 0.91)
    renderer.AddLight(sun)
    sky = vtk.vtkLight()
    sky.SetLightTypeToSceneLight()
    sky.SetPosition(-12, 10, 9)
    sky.SetFocalPoint(0, 0, 0)
    sky.SetIntensity(0.24)
    sky.SetColor(0.80, 0.88, 1.0)
    renderer.AddLight(sky)


def scale_layer(colours):
    """The colour scale in a layer of its own: the passes of the scene draw no text."""
    bar = vtk.vtkScalarBarActor()
    bar.SetLookupTable(colours)
    bar.SetOrientationToHorizontal()
    bar.SetTitle("speed, m/s")
    bar.SetNumberOfLabels(5)
    bar.SetLabelFormat("%.0f")
    bar.UnconstrainedFontSizeOn()
    bar.SetTextPositionToPrecedeScalarBar()
    for text in (bar.GetTitleTextProperty(), bar.GetLabelTextProperty()):
        text.SetColor(0.15, 0.15, 0.15)
        text.SetFontSize(17)
        text.BoldOff()
        text.ItalicOff()
        text.ShadowOff()
    bar.SetPosition(0.03, 0.025)
    bar.SetWidth(0.22)
    bar.SetHeight(0.085)
    bar.SetBarRatio(0.25)
    layer = vtk.vtkRenderer()
    layer.SetLayer(1)
    layer.AddActor2D(bar)
    return layer


def use_shadows(renderer):
    shadows = vtk.vtkShadowMapPass()
    shadows.GetShadowMapBakerPass().SetResolution(4096)
    passes = vtk.vtkRenderPassCollection()
    passes.AddItem(shadows.GetShadowMapBakerPass())
    passes.AddItem(shadows)
    sequence = vtk.vtkSequencePass()
    sequence.SetPasses(passes)
    camera = vtk.vtkCameraPass()
    camera.SetDelegatePass(sequence)
    smooth = vtk.vtkSSAAPass()
    smooth.SetDelegatePass(camera)
    renderer.SetPass(smooth)


def main(source, target):
    surface = bodies(source)
    colours = speed_colours()
    colour_by_speed(surface, colours)
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(*HORIZON)
    renderer.SetBackground2(*SKY)
    renderer.GradientBackgroundOn()
    add_ground(renderer)
    add_actor(renderer, surface)
    renderer.AutomaticLightCreationOff()
    add_sun(renderer)
    use_shadows(renderer)
    camera = renderer.GetActiveCamera()
    camera.SetViewUp(0, 0, 1)
    camera.SetPosition(6.0, 13.4, 3.7)
    camera.SetFocalPoint(-0.15, 0.6, 1.72)
    camera.SetViewAngle(25.5)
    camera.SetClippingRange(3, 300)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetMultiSamples(0)
    window.SetSize(*SIZE)
    window.SetNumberOfLayers(2)
    window.AddRenderer(renderer)
    window.AddRenderer(scale_layer(colours))
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    writer = vtk.vtkPNGWriter()
    writer.SetInputConnection(image.GetOutputPort())
    writer.SetCompressionLevel(9)
    writer.SetFileName(target)
    writer.Write()


main(*sys.argv[1:3])
